import { useCallback } from 'react';
import {
  type ApprovalItemFragment,
  ApprovalOfCallDocument,
  type ApprovalStatus,
} from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { useApprovalsChanged } from './use-approvals-changed.ts';

// What becomes of one that was decided, and made, is final.
const GOES_ON: ReadonlySet<ApprovalStatus> = new Set(['PENDING', 'APPROVED']);

/** A call by the id of its approval, empty for none, as it is now; null while that is not known, and where there is none. */
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
