import type { TerminalStatus } from '../../db/enums.ts';

/**
 * Why a run stops without an end of what it works on: another run goes on from what is stored. Each is the reason of an
 * abort, or is thrown; whoever catches one passes it on, because nothing of it may be written as an outcome.
 */
export abstract class RunInterruptedError extends Error {
  abstract readonly code: string;
}

/** The session is no longer this run's: stop at once and write nothing more. */
export class LeaseLostError extends RunInterruptedError {
  readonly code = 'LEASE_LOST';
  constructor(sessionId: string) {
    super(`Session ${sessionId} is no longer run by this process.`);
    this.name = 'LeaseLostError';
  }
}

/** The database could not be reached in the middle of a write: what is stored decides where to go on. */
export class DatabaseUnavailableError extends RunInterruptedError {
  readonly code = 'DATABASE_AWAY';
  constructor(cause: unknown) {
    super('The database could not be reached.', { cause });
    this.name = 'DatabaseUnavailableError';
  }
}

/** This process stops; another run goes on with the session. It may still write what it was at. */
export class HandedOverError extends RunInterruptedError {
  readonly code = 'HANDED_OVER';
  constructor() {
    super('The worker is shutting down and hands the session over.');
    this.name = 'HandedOverError';
  }
}

/** Nothing can go on until people have decided on a call. */
export class WaitingForApprovalError extends RunInterruptedError {
  readonly code = 'WAITING_FOR_APPROVAL';
  constructor() {
    super('The agent waits for people to decide on a call.');
    this.name = 'WaitingForApprovalError';
  }
}

/** A budget is used up: the session waits until there is one again. */
export class OverBudgetError extends RunInterruptedError {
  readonly code = 'OVER_BUDGET';
  /** When it goes on. */
  readonly until: Date;
  constructor(budget: string, until: Date) {
    super(`The budget ${budget} is used up.`);
    this.name = 'OverBudgetError';
    this.until = until;
  }
}

/** Whether it stops who throws it alone: those beside come to their own end, or stop as well. */
export function pausesOnlyThisAgent(reason: RunInterruptedError): boolean {
  return reason instanceof WaitingForApprovalError || reason instanceof OverBudgetError;
}

/** Why work ends before it is done. Each is the reason of an AbortSignal; statuses on every level derive from it. */

/** Somebody asked for it. */
export class CancelledError extends Error {
  readonly code = 'CANCELLED';
  constructor(message = 'Cancelled.') {
    super(message);
    this.name = 'CancelledError';
  }
}

/** The session's time is up. */
export class SessionTimeoutError extends Error {
  readonly code = 'SESSION_TIMEOUT';
  constructor(timeoutMs: number) {
    super(`The session took longer than its limit of ${describeMs(timeoutMs)}.`);
    this.name = 'SessionTimeoutError';
  }
}

/** The time of a sub-agent is up. */
export class SubAgentTimeoutError extends Error {
  readonly code = 'SUB_AGENT_TIMEOUT';
  constructor(timeoutMs: number) {
    super(`The sub-agent took longer than its limit of ${describeMs(timeoutMs)}.`);
    this.name = 'SubAgentTimeoutError';
  }
}

/** The status that a session, stage, execution or timeline item gets when this ends it. */
export function statusOfFailure(error: unknown): Exclude<TerminalStatus, 'COMPLETED'> {
  if (error instanceof CancelledError || error instanceof HandedOverError) return 'CANCELLED';
  if (error instanceof SessionTimeoutError || error instanceof SubAgentTimeoutError || isTimeout(error))
    return 'TIMED_OUT';
  return 'FAILED';
}

/** A limit of time was hit: AbortSignal.timeout's reason, or an error that says so by its code. */
export function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.name === 'TimeoutError' || code.endsWith('_timeout');
}

/** "90 s", "40 min": for people. */
function describeMs(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
