import type { TerminalStatus } from '../../db/enums.ts';
import { HandedOverError } from './interruptions.ts';

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
