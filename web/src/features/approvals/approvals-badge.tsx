import Box from '@mui/material/Box';
import { Link } from '../../lib/router.tsx';
import { useTitleCount } from '../../lib/use-document-title.ts';
import { visuallyHidden } from '../../lib/visually-hidden.ts';
import { usePendingCalls } from './use-pending-calls.ts';

/** Minimum window width (px) at which the badge shows its words in addition to the number. */
const WIDE = 900;

/** Links to the waiting approvals and shows their number, on every page while any call waits. */
export function ApprovalsBadge() {
  const count = usePendingCalls().length;
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
