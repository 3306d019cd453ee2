import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { Link as RouterLink } from 'react-router';
import { Disclosure } from '../../components/disclosure.tsx';
import { StatusChip, StatusDot } from '../../components/status-chip.tsx';
import { Ago, Duration } from '../../components/time.tsx';
import type { AlertGroupsQuery } from '../../graphql/gen/documents.ts';
import { visuallyHidden } from '../../lib/visually-hidden.ts';
import type { StatusTone } from '../../theme.ts';
import { AlertGroupDetail } from './alert-group-detail.tsx';

type Group = AlertGroupsQuery['alertGroups']['nodes'][number];

const TONES: Readonly<Record<Group['severity'], StatusTone>> = {
  CRITICAL: 'failed',
  ERROR: 'failed',
  WARNING: 'late',
  INFO: 'queued',
  UNKNOWN: 'queued',
};

/** One group: what it is about, since when, and what became of it. */
export function AlertGroupItem({ group, onChanged }: { group: Group; onChanged: () => void }) {
  const [session] = group.sessions;
  const [decision] = group.decisions.nodes;
  const fires = group.state === 'FIRING';
  return (
    <Box component="li" sx={{ px: 1.5, py: 1 }}>
      <Disclosure
        memoryKey={group.id}
        summary={
          <Box component="span" sx={line}>
            <Box component="span" sx={state}>
              <StatusDot tone={fires ? TONES[group.severity] : 'done'} />
              {fires ? group.severity.toLowerCase() : 'resolved'}
            </Box>
            <Box component="span" sx={{ fontWeight: 650, overflowWrap: 'anywhere' }}>
              {group.title}
            </Box>
            <Box component="span" sx={quiet}>
              {group.source}, {counted(group)}
              {group.flapping ? ', flapping' : ''}
            </Box>
            <Box component="span" sx={[quiet, { ml: { sm: 'auto' } }]}>
              for <Duration start={group.openedAt} end={group.resolvedAt} />, told of{' '}
              <Ago time={group.lastReceivedAt} />
            </Box>
          </Box>
        }
      >
        <AlertGroupDetail id={group.id} fires={fires} onChanged={onChanged} />
      </Disclosure>
      <Box sx={fate}>
        {session === undefined ? null : (
          <Link component={RouterLink} to={`/sessions/${session.id}`} sx={{ flex: 'none' }}>
            <StatusChip status={session.status} />
            <Box component="span" sx={visuallyHidden}>
              : investigation of {group.title}
            </Box>
          </Link>
        )}
        {decision === undefined ? null : <span>{decision.reason}</span>}
      </Box>
    </Box>
  );
}

function counted({ alertCount, firingCount }: Group): string {
  return alertCount === 1 ? '1 alert' : `${firingCount} of ${alertCount} alerts firing`;
}

const line = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1.5,
  flex: 1,
  minWidth: 0,
  fontSize: '0.875rem',
} as const;
const state = {
  display: 'inline-flex',
  alignItems: 'center',
  gap: 0.75,
  minWidth: 84,
  fontSize: '0.8125rem',
  fontWeight: 600,
} as const;
const quiet = { color: 'text.secondary', fontSize: '0.8125rem', overflowWrap: 'anywhere' } as const;
const fate = {
  ml: 2.5,
  mt: 0.5,
  display: 'flex',
  gap: 1,
  alignItems: 'center',
  fontSize: '0.8125rem',
  color: 'text.secondary',
  overflowWrap: 'anywhere',
} as const;
