import type { ExecutionStatus, SessionStatus, StageStatus } from '../graphql/gen/documents.ts';

/** Nothing more will happen, unless somebody asks a follow-up question. */
export function isFinished(status: SessionStatus | StageStatus | ExecutionStatus): boolean {
  return status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED' || status === 'TIMED_OUT';
}

/** Asking to cancel makes sense only while it waits or runs. */
export function isCancellable(status: SessionStatus): boolean {
  return status === 'PENDING' || status === 'IN_PROGRESS' || status === 'WAITING_FOR_APPROVAL';
}
