import Box from '@mui/material/Box';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { ApprovalItem } from './approval-item.tsx';
import { useApproval } from './use-approval.ts';

/** Shows the current state of the approval that a timeline item requests; until it is loaded, the item's text. */
export function ApprovalOfCall({ item, text }: { item: TimelineItemFragment; text: string }) {
  const { approval_id: uuid } = (item.metadata ?? {}) as { approval_id?: unknown };
  const id = typeof uuid === 'string' ? btoa(`Approval:${uuid}`) : '';
  const { approval, refetch } = useApproval(id);
  if (approval === null) return <Box sx={{ overflowWrap: 'anywhere' }}>{text}</Box>;
  return <ApprovalItem approval={approval} changed={refetch} />;
}
