import { useCallback } from 'react';
import {
  type ApprovalItemFragment,
  ApprovalOfCallDocument,
  type ApprovalStatus,
} from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { useApprovalsChanged } from './use-approvals-changed.ts';

// Statuses that can still change; all others are final.
const OPEN_STATUSES: ReadonlySet<ApprovalStatus> = new Set(['PENDING', 'APPROVED']);

/** Reads an approval by global id ('' = none) and keeps it current; `null` until loaded, or if there is none. */
export function useApproval(id: string): { approval: ApprovalItemFragment | null; refetch: () => void } {
  const [{ data }, execute] = useQuery({
    query: ApprovalOfCallDocument,
    variables: { id },
    pause: id === '',
    requestPolicy: 'cache-and-network',
  });
  const refetch = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  const approval = data?.node?.__typename === 'Approval' ? data.node : null;
  const isOpen = approval === null || OPEN_STATUSES.has(approval.status);
  useApprovalsChanged(
    useCallback(() => {
      if (isOpen) refetch();
    }, [isOpen, refetch]),
  );
  return { approval, refetch };
}
