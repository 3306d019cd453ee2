import type { SessionWait } from '../../db/entities/index.ts';
import type { TerminalStatus } from '../../db/enums.ts';

/**
 * Interrupts a run without ending its work: a later run resumes from the stored state. Serves as an abort reason or is
 * thrown. Code that catches such an error must rethrow it, because it is not an outcome.
 *
 *   RunInterruptedError
 *   ├─ LeaseLostError             LEASE_LOST
 *   ├─ DatabaseUnavailableError   DATABASE_AWAY
 *   ├─ HandedOverError            HANDED_OVER
 *   ├─ WaitingForApprovalError    WAITING_FOR_APPROVAL   pauses only the agent that throws it
 *   └─ OverBudgetError            OVER_BUDGET            pauses only the agent that throws it
 */
export abstract class RunInterruptedError extends Error {
  abstract readonly code: string;
}

/** The run no longer owns the session and must not write anything. */
export class LeaseLostError extends RunInterruptedError {
  readonly code = 'LEASE_LOST';
  constructor(sessionId: string) {
    super(`Session ${sessionId} is no longer run by this process.`);
    this.name = 'LeaseLostError';
  }
}

/**
 * The database became unavailable during a write. The next run reads from the stored state if the write took
 * effect.
 */
export class DatabaseUnavailableError extends RunInterruptedError {
  readonly code = 'DATABASE_AWAY';
  constructor(cause: unknown) {
    super('The database could not be reached.', { cause });
    this.name = 'DatabaseUnavailableError';
  }
}

/** The process is stopping and another run will resume the session. The run may still store its progress. */
export class HandedOverError extends RunInterruptedError {
  readonly code = 'HANDED_OVER';
  constructor() {
    super('The worker is shutting down and hands the session over.');
    this.name = 'HandedOverError';
  }
}

export class WaitingForApprovalError extends RunInterruptedError {
  readonly code = 'WAITING_FOR_APPROVAL';
  constructor() {
    super('The agent waits for the decision on a call.');
    this.name = 'WaitingForApprovalError';
  }
}

export class OverBudgetError extends RunInterruptedError {
  readonly code = 'OVER_BUDGET';
  readonly wait: SessionWait;
  constructor(wait: SessionWait) {
    super(wait.message);
    this.name = 'OverBudgetError';
    this.wait = wait;
  }
}

/** Returns true if only the throwing agent pauses. Parallel agents run on until they end or pause too. */
export function pausesOnlyThisAgent(reason: RunInterruptedError): boolean {
  return reason instanceof WaitingForApprovalError || reason instanceof OverBudgetError;
}

/** The work is cancelled. As an abort reason, this error decides the status of session, stage and execution. */
export class CancelledError extends Error {
  readonly code = 'CANCELLED';
  constructor(message = 'Cancelled.') {
    super(message);
    this.name = 'CancelledError';
  }
}

export class SessionTimeoutError extends Error {
  readonly code = 'SESSION_TIMEOUT';
  /** Text for work that the limit ended in a session that has a conclusion. */
  readonly reached: string;
  constructor(timeoutMs: number) {
    super(`The session came to no conclusion within its limit of ${describeMs(timeoutMs)}.`);
    this.name = 'SessionTimeoutError';
    this.reached = `The session reached its limit of ${describeMs(timeoutMs)}.`;
  }
}

export class SubAgentTimeoutError extends Error {
  readonly code = 'SUB_AGENT_TIMEOUT';
  /** @param timeoutMs the sub-agent's own limit; `null` if the time of the agent that gave it its task ended first */
  constructor(timeoutMs: number | null) {
    const limit =
      timeoutMs === null
        ? 'before its agent had to conclude'
        : `within its limit of ${describeMs(timeoutMs)}`;
    super(`The sub-agent came to no conclusion ${limit}.`);
    this.name = 'SubAgentTimeoutError';
  }
}

/** Returns the status of a session, stage, execution or timeline event that ends with this error. */
export function statusOfFailure(error: unknown): Exclude<TerminalStatus, 'COMPLETED'> {
  if (error instanceof CancelledError || error instanceof HandedOverError) return 'CANCELLED';
  if (error instanceof SessionTimeoutError || error instanceof SubAgentTimeoutError || isTimeout(error))
    return 'TIMED_OUT';
  return 'FAILED';
}

/** Returns true for the reason of AbortSignal.timeout and for errors whose code ends with `_timeout`. */
export function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.name === 'TimeoutError' || code.endsWith('_timeout');
}

function describeMs(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
