import type { SessionRowFragment } from '../../graphql/gen/documents.ts';
import type { PendingCall } from '../approvals/use-pending-calls.ts';

/** Splits running sessions into those with a call that waits for approval, and the others. */
export function splitByApproval(active: readonly SessionRowFragment[], calls: readonly PendingCall[]) {
  const asking = new Set(calls.map(({ session }) => session.id));
  const waits = ({ id, status }: SessionRowFragment): boolean =>
    status === 'WAITING_FOR_APPROVAL' || asking.has(id);
  return { waiting: active.filter(waits), running: active.filter((row) => !waits(row)) };
}
