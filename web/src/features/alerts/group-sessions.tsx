import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { dividedList } from '../../components/divided-list.ts';
import { RowLink, rowHover } from '../../components/row-link.tsx';
import { Ago, Duration } from '../../components/time.tsx';
import { plainPreview } from '../../lib/data-text.ts';
import { sessionPath } from '../../lib/paths.ts';
import { OutcomeChip } from '../report/outcome-chip.tsx';
import type { Group } from './group-actions.tsx';
import { Section } from './section.tsx';

type Session = Group['sessions'][number];

export function GroupSessions({ sessions }: { sessions: readonly Session[] }) {
  return (
    <Section title="Investigations" count={sessions.length}>
      {sessions.length === 0 ? (
        <Box sx={{ fontSize: '0.875rem', color: 'text.secondary' }}>
          No investigation started. See Decisions for the reason.
        </Box>
      ) : (
        <Paper component="ul" sx={dividedList}>
          {sessions.map((session) => (
            <SessionItem key={session.id} session={session} />
          ))}
        </Paper>
      )}
    </Section>
  );
}

function SessionItem({ session }: { session: Session }) {
  const summary = plainPreview(
    session.report?.headline ?? session.executiveSummary ?? session.errorMessage ?? '',
  );
  return (
    <Box component="li" sx={[row, rowHover]}>
      <OutcomeChip session={session} />
      <Box sx={{ flex: '1 1 200px', minWidth: 0 }}>
        <RowLink to={sessionPath(session.id)}>
          Investigation of type {session.alertType}, <Ago time={session.createdAt} />
        </RowLink>
        {summary === '' ? null : <Box sx={preview}>{summary}</Box>}
      </Box>
      {session.startedAt === null ? null : (
        <Box sx={{ fontWeight: 600 }}>
          <Duration start={session.startedAt} end={session.completedAt} />
        </Box>
      )}
    </Box>
  );
}

const row = {
  position: 'relative',
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'start',
  columnGap: 2,
  rowGap: 0.5,
  px: 1.5,
  py: 1,
  fontSize: '0.875rem',
} as const;
const preview = {
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: 3,
  overflow: 'hidden',
  overflowWrap: 'anywhere',
  fontSize: '0.8125rem',
  color: 'text.secondary',
} as const;
