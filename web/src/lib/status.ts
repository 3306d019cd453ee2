import type { ExecutionStatus, SessionStatus, StageStatus } from '../graphql/gen/documents.ts';

/** True for a final status. */
export function isFinished(status: SessionStatus | StageStatus | ExecutionStatus): boolean {
  return status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED' || status === 'TIMED_OUT';
}

/** True if a session can be cancelled. */
export function isCancellable(status: SessionStatus): boolean {
  return status === 'PENDING' || status === 'IN_PROGRESS' || status === 'WAITING_FOR_APPROVAL';
}
