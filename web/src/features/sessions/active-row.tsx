import Box from '@mui/material/Box';
import { memo } from 'react';
import { CancelButton } from '../../components/cancel-button.tsx';
import { RowLink, rowHover } from '../../components/row-link.tsx';
import { KnownSeverity } from '../../components/severity.tsx';
import { StatusChip } from '../../components/status-chip.tsx';
import { Ago, Duration } from '../../components/time.tsx';
import { useRights } from '../../components/use-rights.ts';
import type { SessionRowFragment } from '../../graphql/gen/documents.ts';
import { sessionPath } from '../../lib/paths.ts';
import { isCancellable } from '../../lib/status.ts';
import { titled } from './history-styles.ts';
import { queueLabel } from './session-lists.ts';
import { StageProgress } from './stage-progress.tsx';

interface Props {
  readonly session: SessionRowFragment;
  /** Expected number of stages, synthesis included; `null` if the chain is not configured or not yet loaded. */
  readonly stageCount: number | null;
}

/** A running or queued session. The row links to it; the button cancels it. */
export const ActiveRow = memo(function ActiveRow({ session, stageCount }: Props) {
  const { title } = session;
  const mayCancel = useRights().may('REVIEW');
  const position = queueLabel(session);
  return (
    <Box component="li" sx={[layout, rowHover]}>
      <Box sx={{ gridArea: 'status' }}>
        <StatusChip status={session.status} {...(position === undefined ? {} : { detail: position })} />
      </Box>
      <Box sx={{ gridArea: 'title', minWidth: 0 }}>
        <Box sx={titled}>
          <KnownSeverity severity={session.severity} />
          <Box sx={{ minWidth: 0 }}>
            <RowLink to={sessionPath(session.id)}>{title}</RowLink>
          </Box>
        </Box>
        <Box sx={clipped}>
          <Box sx={facts}>
            {session.status === 'PENDING' ? null : (
              <span>
                <StageProgress session={session} count={stageCount} />
              </span>
            )}
            <span>{session.alertType}</span>
            <span>{session.author}</span>
            <span>
              submitted <Ago time={session.createdAt} />
            </span>
          </Box>
        </Box>
      </Box>
      <Box sx={{ gridArea: 'time', fontSize: '0.875rem', fontWeight: 600, textAlign: { md: 'right' } }}>
        {session.startedAt === null ? null : <Duration start={session.startedAt} end={session.completedAt} />}
      </Box>
      <Box sx={{ gridArea: 'action', position: 'relative', zIndex: 1, justifySelf: 'end', minHeight: 30 }}>
        {mayCancel && isCancellable(session.status) ? (
          <CancelButton sessionId={session.id} name={title} />
        ) : null}
      </Box>
    </Box>
  );
});

const layout = {
  position: 'relative',
  display: 'grid',
  alignItems: 'center',
  columnGap: 2,
  rowGap: 0.75,
  px: 1.5,
  py: 1,
  gridTemplateColumns: { xs: 'minmax(0, 1fr) auto', md: '172px minmax(0, 1fr) 96px 96px' },
  gridTemplateAreas: {
    xs: '"status action" "title title" "time time"',
    md: '"status title time action"',
  },
} as const;

const clipped = { overflow: 'hidden' } as const;
const facts = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  fontSize: '0.8125rem',
  color: 'text.secondary',
  overflowWrap: 'anywhere',
  ml: '-1.4em',
  // A dot precedes each fact. The first dot of a line lies outside the box and is clipped.
  '& > span::before': { content: '"·"', display: 'inline-block', width: '1.4em', textAlign: 'center' },
} as const;
