import Box from '@mui/material/Box';
import { useCallback } from 'react';
import { WaitingApprovalsDocument } from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { Link } from '../../lib/router.tsx';
import { useTitleCount } from '../../lib/use-document-title.ts';
import { visuallyHidden } from '../../lib/visually-hidden.ts';
import { useApprovalsChanged } from './use-approvals-changed.ts';

/** Minimum window width (px) at which the badge shows its words in addition to the number. */
const WIDE = 900;

/** Links to the waiting approvals and shows their number, on every page while any call waits. */
export function ApprovalsBadge() {
  const [{ data }, execute] = useQuery({ query: WaitingApprovalsDocument });
  useApprovalsChanged(useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]));
  const count = data?.pendingApprovals.length ?? 0;
  useTitleCount('to approve', count);
  if (count === 0) return null;
  return (
    <Box component="span" sx={badge}>
      <Link to="/approvals">
        {count}
        <Box component="span" sx={words}>
          {' '}
          waiting for approval
        </Box>
      </Link>
    </Box>
  );
}

// Windows narrower than `WIDE` only have room for the number.
const words = {
  [`@media (max-width: ${WIDE - 0.05}px)`]: visuallyHidden,
} as const;
const badge = {
  flex: 'none',
  px: 1,
  borderRadius: 3,
  border: 1,
  borderColor: 'status.late',
  fontSize: '0.8125rem',
  fontWeight: 600,
  lineHeight: '22px',
  '& a': { color: 'status.late', textDecoration: 'none' },
  '& a:hover': { textDecoration: 'underline' },
} as const;
