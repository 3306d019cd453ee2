import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { CodeBlock } from '../../components/code-block.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import type { ApprovalItemFragment } from '../../graphql/gen/documents.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { mono } from '../../theme.ts';
import { originLabel } from './approval-labels.ts';

export function Provenance({ approval: { id, provenance, session } }: { approval: ApprovalItemFragment }) {
  if (provenance.length === 0) return null;
  return (
    <Box sx={{ minWidth: 0 }}>
      <Box sx={{ mb: 0.5, fontWeight: 600 }}>Where the arguments come from</Box>
      <Box component="ul" aria-label="Where the arguments come from" sx={list}>
        {provenance.map(({ path, value, origin, lines, isUntrusted, timelineEvent }) => (
          <li key={path}>
            <Box component="span" sx={{ fontFamily: mono, overflowWrap: 'anywhere' }}>
              {path} = {value}
            </Box>{' '}
            <Box
              component="span"
              sx={{ color: origin === 'MODEL' || origin === 'UNTRACED' ? 'status.late' : 'text.secondary' }}
            >
              {timelineEvent === null ? (
                originLabel(origin)
              ) : (
                <Link
                  component={RouterLink}
                  to={`${sessionPath(session.id)}#event-${timelineEvent.sequenceNumber}`}
                >
                  {originLabel(origin)}
                </Link>
              )}
            </Box>
            {isUntrusted ? (
              <Box component="span" sx={{ ml: 0.75, fontWeight: 600, color: 'status.failed' }}>
                untrusted text only
              </Box>
            ) : null}
            {lines === null ? null : (
              <Disclosure stateKey={`${id} ${path}`} summary={<span>Context</span>}>
                <CodeBlock label={`Context of ${path}`} text={lines} maxHeight={160} />
              </Disclosure>
            )}
          </li>
        ))}
      </Box>
    </Box>
  );
}

const list = {
  m: 0,
  p: 0,
  listStyle: 'none',
  display: 'grid',
  gap: 0.5,
  minWidth: 0,
  '& > li': { minWidth: 0 },
} as const;
