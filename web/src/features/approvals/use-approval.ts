import { useCallback } from 'react';
import {
  type ApprovalItemFragment,
  ApprovalOfCallDocument,
  type ApprovalStatus,
} from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { useApprovalsChanged } from './use-approvals-changed.ts';

// Every other status is final.
const GOES_ON: ReadonlySet<ApprovalStatus> = new Set(['PENDING', 'APPROVED']);

/** Reads an approval by its id, empty for none, and keeps it current; null while unknown or if there is none. */
export function useApproval(id: string): { approval: ApprovalItemFragment | null; reread: () => void } {
  const [{ data }, execute] = useQuery({
    query: ApprovalOfCallDocument,
    variables: { id },
    pause: id === '',
    requestPolicy: 'cache-and-network',
  });
  const reread = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  const approval = data?.node?.__typename === 'Approval' ? data.node : null;
  const goesOn = approval === null || GOES_ON.has(approval.status);
  useApprovalsChanged(
    useCallback(() => {
      if (goesOn) reread();
    }, [goesOn, reread]),
  );
  return { approval, reread };
}
