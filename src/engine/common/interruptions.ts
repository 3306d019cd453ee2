import type { TerminalStatus } from '../../db/enums.ts';

/**
 * The reason why a run stops without an outcome; a later run resumes from stored state. Instances are abort reasons or
 * are thrown. A catcher rethrows them, because an interruption must not be stored as an outcome.
 */
export abstract class RunInterruptedError extends Error {
  abstract readonly code: string;
}

/** This run no longer owns the session, stops at once and writes nothing more. */
export class LeaseLostError extends RunInterruptedError {
  readonly code = 'LEASE_LOST';
  constructor(sessionId: string) {
    super(`Session ${sessionId} is no longer run by this process.`);
    this.name = 'LeaseLostError';
  }
}

/** The database became unreachable during a write. The stored state decides where the next run resumes. */
export class DatabaseUnavailableError extends RunInterruptedError {
  readonly code = 'DATABASE_AWAY';
  constructor(cause: unknown) {
    super('The database could not be reached.', { cause });
    this.name = 'DatabaseUnavailableError';
  }
}

/** This process shuts down and another run resumes the session. Pending writes are still allowed. */
export class HandedOverError extends RunInterruptedError {
  readonly code = 'HANDED_OVER';
  constructor() {
    super('The worker is shutting down and hands the session over.');
    this.name = 'HandedOverError';
  }
}

/** The agent waits for an approver's decision on a call. */
export class WaitingForApprovalError extends RunInterruptedError {
  readonly code = 'WAITING_FOR_APPROVAL';
  constructor() {
    super('The agent waits for people to decide on a call.');
    this.name = 'WaitingForApprovalError';
  }
}

/** A budget is used up. The session waits until it is renewed. */
export class OverBudgetError extends RunInterruptedError {
  readonly code = 'OVER_BUDGET';
  /** When the session resumes. */
  readonly until: Date;
  constructor(budget: string, until: Date) {
    super(`The budget ${budget} is used up.`);
    this.name = 'OverBudgetError';
    this.until = until;
  }
}

/** True if only the throwing agent pauses; parallel agents continue. */
export function pausesOnlyThisAgent(reason: RunInterruptedError): boolean {
  return reason instanceof WaitingForApprovalError || reason instanceof OverBudgetError;
}

/** A responder cancelled the work. Like the errors below, it is an abort reason from which statuses derive. */
export class CancelledError extends Error {
  readonly code = 'CANCELLED';
  constructor(message = 'Cancelled.') {
    super(message);
    this.name = 'CancelledError';
  }
}

/** The session exceeded its time limit. */
export class SessionTimeoutError extends Error {
  readonly code = 'SESSION_TIMEOUT';
  constructor(timeoutMs: number) {
    super(`The session took longer than its limit of ${describeMs(timeoutMs)}.`);
    this.name = 'SessionTimeoutError';
  }
}

/** A sub-agent exceeded its time limit. */
export class SubAgentTimeoutError extends Error {
  readonly code = 'SUB_AGENT_TIMEOUT';
  constructor(timeoutMs: number) {
    super(`The sub-agent took longer than its limit of ${describeMs(timeoutMs)}.`);
    this.name = 'SubAgentTimeoutError';
  }
}

/** Returns the status of a session, stage, execution or timeline item that ends with this error. */
export function statusOfFailure(error: unknown): Exclude<TerminalStatus, 'COMPLETED'> {
  if (error instanceof CancelledError || error instanceof HandedOverError) return 'CANCELLED';
  if (error instanceof SessionTimeoutError || error instanceof SubAgentTimeoutError || isTimeout(error))
    return 'TIMED_OUT';
  return 'FAILED';
}

/** True if a time limit was hit: the reason of AbortSignal.timeout, or an error with a timeout code. */
export function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.name === 'TimeoutError' || code.endsWith('_timeout');
}

/** Formats a duration: "90 s", "40 min". */
function describeMs(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
