import { useCallback } from 'react';
import { type ApprovalItemFragment, ApprovalOfCallDocument } from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { useApprovalsChanged } from './use-approvals-changed.ts';

/** A call by the id of its approval, empty for none, as it is now; null while that is not known, and where there is none. */
export function useApproval(id: string): { approval: ApprovalItemFragment | null; reread: () => void } {
  const [{ data }, execute] = useQuery({
    query: ApprovalOfCallDocument,
    variables: { id },
    pause: id === '',
    requestPolicy: 'cache-and-network',
  });
  const reread = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  useApprovalsChanged(reread);
  return { approval: data?.node?.__typename === 'Approval' ? data.node : null, reread };
}
