import Box from '@mui/material/Box';
import { useCallback } from 'react';
import { ApprovalOfCallDocument, type TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { ApprovalItem } from './approval-item.tsx';
import { useApprovalsChanged } from './use-approvals-changed.ts';

/** The call that an entry of the timeline asks people about, as it is now. */
export function ApprovalOfCall({ item, text }: { item: TimelineItemFragment; text: string }) {
  const { approval_id: uuid } = (item.metadata ?? {}) as { approval_id?: unknown };
  const id = typeof uuid === 'string' ? btoa(`Approval:${uuid}`) : '';
  const [{ data }, execute] = useQuery({
    query: ApprovalOfCallDocument,
    variables: { id },
    pause: id === '',
    requestPolicy: 'cache-and-network',
  });
  const reread = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  useApprovalsChanged(reread);
  const approval = data?.node;
  if (approval?.__typename !== 'Approval') return <Box sx={{ overflowWrap: 'anywhere' }}>{text}</Box>;
  return <ApprovalItem approval={approval} changed={reread} />;
}
