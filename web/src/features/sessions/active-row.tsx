import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import { memo, type ReactNode } from 'react';
import { CancelButton } from '../../components/cancel-button.tsx';
import { RowLink, rowHover } from '../../components/row-link.tsx';
import { RunNowButton } from '../../components/run-now-button.tsx';
import { KnownSeverity } from '../../components/severity.tsx';
import { SessionStatusChip } from '../../components/status-chip.tsx';
import { Ago, Duration } from '../../components/time.tsx';
import { useRights } from '../../components/use-rights.ts';
import { WaitNote } from '../../components/wait-note.tsx';
import type { SessionRowFragment } from '../../graphql/gen/documents.ts';
import { sessionPath } from '../../lib/paths.ts';
import { isCancellable } from '../../lib/status.ts';
import { titled } from './history-styles.ts';
import { StageProgress } from './stage-progress.tsx';

interface Props {
  readonly session: SessionRowFragment;
  /** Expected number of stages, synthesis included; `null` if the chain is not configured or not yet loaded. */
  readonly stageCount: number | null;
  readonly selected: boolean;
  /** Adds the session to the selection, or removes it. */
  readonly onSelect: (id: string) => void;
  /** Replaces the reason to wait. */
  readonly note?: ReactNode;
}

/** A running or queued session. The row links to it; the button cancels it. */
export const ActiveRow = memo(function ActiveRow(props: Props) {
  const { session, stageCount, selected, onSelect, note } = props;
  const { title } = session;
  const mayCancel = useRights().may('REVIEW');
  const { waitingFor } = session;
  const mayRunNow = mayCancel && session.status === 'PENDING';
  return (
    <Box component="li" sx={[layout, rowHover]}>
      <Box sx={{ gridArea: 'select', position: 'relative', zIndex: 1 }}>
        {mayCancel && isCancellable(session.status) ? (
          <Checkbox
            size="small"
            checked={selected}
            onChange={() => onSelect(session.id)}
            slotProps={{ input: { 'aria-label': `Select ${title}` } }}
            sx={{ p: 0.25 }}
          />
        ) : null}
      </Box>
      <Box sx={{ gridArea: 'status' }}>
        <SessionStatusChip session={session} />
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
        {note ??
          (waitingFor === null || waitingFor.reason === 'SLOT' ? null : <WaitNote waiting={waitingFor} />)}
      </Box>
      <Box sx={{ gridArea: 'time', fontSize: '0.875rem', fontWeight: 600, textAlign: { md: 'right' } }}>
        {session.startedAt === null ? null : <Duration start={session.startedAt} end={session.completedAt} />}
      </Box>
      <Box sx={actions}>
        {mayRunNow ? <RunNowButton sessionId={session.id} name={title} /> : null}
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
  gridTemplateColumns: { xs: 'auto minmax(0, 1fr) auto', md: '28px 200px minmax(0, 1fr) 96px auto' },
  gridTemplateAreas: {
    xs: '"select status time" "title title title" "action action action"',
    md: '"select status title time action"',
  },
} as const;

const actions = {
  gridArea: 'action',
  position: 'relative',
  zIndex: 1,
  display: 'flex',
  gap: 1,
  justifySelf: 'end',
  minHeight: 30,
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
