import type { ExecutionStatus, SessionStatus, StageStatus } from '../graphql/gen/documents.ts';

export function isFinished(status: SessionStatus | StageStatus | ExecutionStatus): boolean {
  return status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED' || status === 'TIMED_OUT';
}

export function isCancellable(status: SessionStatus): boolean {
  return status === 'PENDING' || status === 'IN_PROGRESS' || status === 'WAITING_FOR_APPROVAL';
}
