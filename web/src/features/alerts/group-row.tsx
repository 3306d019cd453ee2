import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { memo } from 'react';
import { RowLink, rowHover } from '../../components/row-link.tsx';
import { SeverityChip } from '../../components/severity.tsx';
import { Ago, Duration } from '../../components/time.tsx';
import type { AlertGroupsQuery } from '../../graphql/gen/documents.ts';
import { groupPath, sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { visuallyHidden } from '../../lib/visually-hidden.ts';
import { OutcomeChip } from '../report/outcome-chip.tsx';
import { outcomeLook } from './outcome.ts';
import { SilencedMark } from './silenced-mark.tsx';

type Group = AlertGroupsQuery['alertGroups']['nodes'][number];

/** A row with a group's title, age, counts and outcome. The whole row links to the group. */
export const GroupRow = memo(function GroupRow({ group }: { group: Group }) {
  const { severity, state, title, source, alertType, team } = group;
  return (
    <Box component="li" sx={[layout, rowHover]}>
      <Box sx={{ gridArea: 'state' }}>
        <SeverityChip severity={severity} state={state} />
      </Box>
      <Box sx={{ gridArea: 'title', minWidth: 0 }}>
        <RowLink to={groupPath(group.id)}>{title}</RowLink>
        <GroupOutcome group={group} />
      </Box>
      <Box sx={[quiet, { gridArea: 'source', display: { xs: 'flex', md: 'block' }, gap: 1.5 }]}>
        <Box sx={clipped}>{source}</Box>
        <Box sx={clipped}>{team === null ? alertType : `${alertType}, ${team}`}</Box>
      </Box>
      <Box sx={[quiet, { gridArea: 'count' }]}>
        {countOf(group)}
        {group.flapping ? <Box sx={{ color: 'status.late', fontWeight: 600 }}>flapping</Box> : null}
        {group.recentEpisodes > 1 ? <Box>fired {group.recentEpisodes} times</Box> : null}
        <SilencedMark silence={group.silence} />
      </Box>
      <Box sx={[quiet, times]}>
        <Box>
          <Box component="span" sx={visuallyHidden}>
            {state === 'FIRING' ? 'firing for ' : 'lasted '}
          </Box>
          <Duration start={group.startedAt} end={group.resolvedAt} />
        </Box>
        <Box>
          <Box component="span" sx={visuallyHidden}>
            last received{' '}
          </Box>
          <Ago time={group.lastReceivedAt} />
        </Box>
      </Box>
    </Box>
  );
});

function GroupOutcome({ group }: { group: Group }) {
  const [session] = group.sessions;
  const [decision] = group.decisions.nodes;
  return (
    <Box sx={outcome}>
      {session === undefined ? null : (
        <Link component={RouterLink} to={sessionPath(session.id)} underline="hover" sx={above}>
          <OutcomeChip session={session} />
          <Box component="span" sx={visuallyHidden}>
            : investigation of {group.title}
          </Box>
        </Link>
      )}
      {decision === undefined ? null : (
        <Box component="span" sx={reason} title={decision.reason}>
          <Box
            component="span"
            sx={{ fontWeight: 600, color: `status.${outcomeLook[decision.outcome].tone}` }}
          >
            {outcomeLook[decision.outcome].label}
          </Box>
          {`: ${decision.reason}`}
        </Box>
      )}
    </Box>
  );
}

function countOf({ alertCount, firingCount, state }: Group): string {
  if (alertCount === 1) return '1 alert';
  return state === 'FIRING' ? `${firingCount} of ${alertCount} firing` : `${alertCount} alerts`;
}

const layout = {
  position: 'relative',
  display: 'grid',
  alignItems: 'start',
  columnGap: 2,
  rowGap: 0.5,
  px: 1.5,
  py: 1,
  gridTemplateColumns: { xs: 'auto minmax(0, 1fr) auto', md: '84px minmax(0, 1fr) 150px 104px 84px' },
  gridTemplateAreas: {
    xs: '"state count times" "title title title" "source source source"',
    md: '"state title source count times"',
  },
} as const;
const quiet = { minWidth: 0, fontSize: '0.8125rem', lineHeight: 1.5, color: 'text.secondary' } as const;
const times = {
  gridArea: 'times',
  display: { xs: 'flex', md: 'block' },
  gap: 1,
  textAlign: 'right',
  '& > div:last-of-type': { color: 'text.secondary' },
  '& > div:first-of-type': { fontWeight: 600, color: 'text.primary' },
} as const;
const clipped = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;
const outcome = {
  display: 'flex',
  alignItems: 'start',
  gap: 1,
  mt: 0.25,
  minWidth: 0,
  fontSize: '0.8125rem',
  color: 'text.secondary',
} as const;
// Places content above the row's link in z-order, because the link covers the whole row.
const above = { position: 'relative', zIndex: 1, flex: 'none' } as const;
const reason = {
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: 2,
  overflow: 'hidden',
  overflowWrap: 'anywhere',
} as const;
