import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { LinkIcon } from '../../components/icons.tsx';
import { SeverityChip, severityName } from '../../components/severity.tsx';
import { Ago, Duration } from '../../components/time.tsx';
import { Link as RouterLink } from '../../lib/router.tsx';
import { type Group, GroupActions } from './group-actions.tsx';
import { SilencedMark } from './silenced-mark.tsx';

export function GroupHeader({ group, changed }: { group: Group; changed: () => void }) {
  const { title, state, severity, startedAt, resolvedAt } = group;
  return (
    <Box component="header" sx={{ mb: 2.5 }}>
      <Link component={RouterLink} to="/alerts" underline="hover" sx={back}>
        ← Alerts
      </Link>
      <Typography variant="h1" sx={{ mt: 0.5, mb: 1, overflowWrap: 'anywhere' }}>
        {title}
      </Typography>
      <Box sx={line}>
        <SeverityChip severity={severity} state={state} />
        <Box sx={{ fontWeight: 600 }}>
          {state === 'FIRING' ? 'Firing for ' : `${severityName(severity)}, lasted `}
          <Duration start={startedAt} end={resolvedAt} />
        </Box>
        {group.flapping ? <Box sx={{ color: 'status.late', fontWeight: 600 }}>Flapping</Box> : null}
        <SilencedMark silence={group.silence} />
        <Box sx={{ flex: 1 }} />
        <CopyButton
          label="Copy link to this group"
          icon={<LinkIcon fontSize="small" />}
          text={() => `${window.location.origin}${window.location.pathname}`}
        />
        <GroupActions group={group} changed={changed} />
      </Box>
      <Facts group={group} />
    </Box>
  );
}

function Facts({ group }: { group: Group }) {
  const { alertCount, firingCount } = group;
  return (
    <Box component="dl" sx={facts}>
      <Fact name="Source">{group.source}</Fact>
      <Fact name="Alert type">{group.alertType}</Fact>
      {group.team === null ? null : <Fact name="Team">{group.team}</Fact>}
      <Fact name="Alerts">
        {group.state === 'FIRING' ? `${firingCount} of ${alertCount} firing` : String(alertCount)}
      </Fact>
      <Fact name="Started">
        <Ago time={group.startedAt} />
      </Fact>
      {group.recentEpisodes > 1 ? <Fact name="Fired">{group.recentEpisodes} times in 24 hours</Fact> : null}
      {group.silence === null ? null : (
        <Fact name="Silence">
          <Link component={RouterLink} to="/alerts/silences">
            {group.silence.comment}
          </Link>
          , by {group.silence.createdBy}
        </Fact>
      )}
      {group.resolvedAt === null ? null : (
        <Fact name="Resolved">
          <Ago time={group.resolvedAt} />
        </Fact>
      )}
      <Fact name="Last received">
        <Ago time={group.lastReceivedAt} />
      </Fact>
    </Box>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Box sx={{ minWidth: 0 }}>
      <Box component="dt" sx={{ fontSize: '0.75rem', color: 'text.secondary' }}>
        {name}
      </Box>
      <Box component="dd" sx={{ m: 0, overflowWrap: 'anywhere' }}>
        {children}
      </Box>
    </Box>
  );
}

const back = { display: 'inline-block', fontSize: '0.8125rem', lineHeight: '24px' } as const;
const line = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: { xs: 0.75, sm: 1.5 },
  minHeight: 32,
  fontSize: '0.875rem',
} as const;
const facts = {
  display: 'flex',
  flexWrap: 'wrap',
  columnGap: 4,
  rowGap: 1,
  m: 0,
  mt: 1.5,
  fontSize: '0.875rem',
} as const;
