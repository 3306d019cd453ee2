import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { memo } from 'react';
import { HEADER_HEIGHT } from '../../components/app-shell.tsx';
import { CancelButton } from '../../components/cancel-button.tsx';
import { AnswerIcon } from '../../components/icons.tsx';
import { KnownSeverity, SeverityChip } from '../../components/severity.tsx';
import { SessionStatusChip } from '../../components/status-chip.tsx';
import { Duration } from '../../components/time.tsx';
import { AlertTypesDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { isCancellable, isFinished } from '../../lib/status.ts';
import { begunStages } from '../plan/plan-steps.ts';
import { VerdictChip } from '../report/verdict.tsx';
import { HEAD_HEIGHT } from '../timeline/sticky-height.ts';
import type { TimelineState } from '../timeline/timeline-reducer.ts';
import type { SessionDetail } from './session-detail.ts';

interface Props {
  readonly session: SessionDetail;
  readonly stages: TimelineState['stages'];
  /** Moves the focus to the question field; undefined while no question can be asked. */
  readonly onAsk: (() => void) | undefined;
  /** True if the report's verdict is out of view. */
  readonly showVerdict: boolean;
}

/** Shows the session's title and current status. The header stays in view while the page scrolls. */
export const SessionStickyHeader = memo(function SessionStickyHeader({
  session,
  stages,
  onAsk,
  showVerdict,
}: Props) {
  const { status, group } = session;
  return (
    <Box component="header" sx={header}>
      <Typography variant="h1" title={session.title} sx={title}>
        {session.title}
      </Typography>
      <Box sx={statusRow}>
        <Box sx={facts}>
          {group === null ? (
            <KnownSeverity severity={session.severity} />
          ) : (
            <SeverityChip severity={group.severity} state={group.state} />
          )}
          {session.report === null || !showVerdict ? null : <VerdictChip verdict={session.report.verdict} />}
          {status === 'COMPLETED' ? (
            // A green chip would read as good news. The verdict says whether it is.
            <Box
              sx={[
                completed,
                session.report !== null && showVerdict && { display: { xs: 'none', sm: 'block' } },
              ]}
            >
              Completed
            </Box>
          ) : (
            <SessionStatusChip session={session} />
          )}
          {isFinished(status) || session.waitingFor !== null ? null : (
            <CurrentStage stages={stages} chainId={session.chainId} />
          )}
          <Box sx={{ fontWeight: 600 }}>
            <Duration start={session.startedAt} end={session.completedAt} />
          </Box>
        </Box>
        {onAsk === undefined ? null : (
          <Button color="inherit" startIcon={<AnswerIcon />} onClick={onAsk} sx={{ flex: 'none' }}>
            Ask a question
          </Button>
        )}
        {isCancellable(status) ? <CancelButton sessionId={session.id} name={session.title} /> : null}
      </Box>
    </Box>
  );
});

/** Shows the current stage by index and name, and the number of stages if the chain is still configured. */
function CurrentStage({ stages, chainId }: { stages: TimelineState['stages']; chainId: string }) {
  const [{ data }] = useQuery({ query: AlertTypesDocument });
  const stage = begunStages(stages).at(-1);
  if (stage === undefined) return null;
  const now = stage.index;
  const count = data?.alertTypes.find((type) => type.chainId === chainId)?.stageCount;
  // The current configuration of the chain may have fewer stages than this session runs.
  return (
    <Box sx={currentStage} title={stage.name}>
      <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
        stage{' '}
      </Box>
      {now}
      {count === undefined ? '' : ` of ${Math.max(count, now)}`}: {stage.name}
    </Box>
  );
}

const header = {
  position: 'sticky',
  top: HEADER_HEIGHT,
  zIndex: 4,
  display: 'flex',
  flexDirection: { xs: 'column', sm: 'row' },
  justifyContent: 'center',
  alignItems: { xs: 'stretch', sm: 'center' },
  columnGap: 2,
  rowGap: 0.5,
  height: HEAD_HEIGHT,
  mx: { xs: -1.5, sm: -3 },
  px: { xs: 1.5, sm: 3 },
  bgcolor: 'background.default',
  '@media print': { position: 'static', height: 'auto' },
} as const;
const title = {
  flex: { sm: '1 1 0' },
  minWidth: 0,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  '@media print': { whiteSpace: 'normal' },
} as const;
const statusRow = {
  display: 'flex',
  alignItems: 'center',
  gap: { xs: 1, sm: 1.5 },
  minWidth: 0,
  height: 32,
} as const;
const currentStage = { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' } as const;
const completed = { color: 'text.secondary', fontWeight: 600 } as const;
const facts = {
  flex: 1,
  minWidth: 0,
  display: 'flex',
  alignItems: 'center',
  gap: { xs: 1, sm: 1.5 },
  overflow: 'hidden',
  fontSize: '0.875rem',
  whiteSpace: 'nowrap',
} as const;
