import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useMemo } from 'react';
import { HEADER_HEIGHT } from '../../components/app-shell.tsx';
import { StatusChip } from '../../components/status-chip.tsx';
import { Duration } from '../../components/time.tsx';
import type { TimelineExecutionFragment, TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { type ExecutionGroup, groupTimeline, type StageGroup } from './timeline-groups.ts';
import { TimelineItem } from './timeline-item.tsx';
import { type TimelineState, textOf } from './timeline-reducer.ts';

/** The investigation, stage by stage. `conclusions` are texts that the page shows on top already. */
export function Timeline({ state, conclusions }: { state: TimelineState; conclusions: readonly string[] }) {
  const { stages, executions, items } = state;
  // Chunks change only texts: the grouping of thousands of items is not made again for each frame.
  const groups = useMemo(() => groupTimeline({ stages, executions, items }), [stages, executions, items]);
  return groups.map((group) => (
    <Stage key={group.key} group={group} state={state} conclusions={conclusions} />
  ));
}

function Stage({
  group,
  state,
  conclusions,
}: {
  group: StageGroup;
  state: TimelineState;
  conclusions: readonly string[];
}) {
  const { stage, executions } = group;
  const parallel = executions.length > 1;
  return (
    <Paper
      component="section"
      aria-label={stage?.name ?? 'Session'}
      id={`stage-${stage?.index ?? 'session'}`}
      sx={section}
    >
      {stage === null ? null : (
        <Box sx={heading}>
          <Typography variant="h2" sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
            <Box component="span" sx={{ color: 'text.secondary', mr: 1 }}>
              {stage.index}
            </Box>
            {stage.name}
          </Typography>
          <StatusChip status={stage.status} />
          <Box sx={agentOfStage}>
            <Agent execution={parallel ? null : (executions[0]?.execution ?? null)} />
          </Box>
          <Box sx={{ ml: 'auto', fontSize: '0.8125rem', color: 'text.secondary' }}>
            <Duration start={stage.startedAt} end={stage.completedAt} />
          </Box>
        </Box>
      )}
      <Failure text={stage?.errorMessage ?? null} />
      {executions.map((own) => (
        <Box key={own.key} sx={parallel ? parallelAgent : {}}>
          {parallel && own.execution ? <AgentHeading execution={own.execution} /> : null}
          <Failure text={own.execution?.errorMessage ?? null} unless={stage?.errorMessage ?? null} />
          <Items group={own} state={state} conclusions={conclusions} />
        </Box>
      ))}
    </Paper>
  );
}

function Agent({ execution }: { execution: TimelineExecutionFragment | null }) {
  if (execution === null) return null;
  const model = [execution.llmProvider, execution.modelName].filter(Boolean).join(' · ');
  return (
    <Box sx={agentLine} title={model}>
      {execution.agentName}
      {model === '' ? '' : ` · ${model}`}
    </Box>
  );
}

function AgentHeading({ execution }: { execution: TimelineExecutionFragment }) {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, px: 1.5, pt: 1 }}>
      <StatusChip status={execution.status} />
      <Agent execution={execution} />
      <Box sx={{ ml: 'auto', fontSize: '0.8125rem', color: 'text.secondary' }}>
        <Duration start={execution.startedAt} end={execution.completedAt} />
      </Box>
    </Box>
  );
}

function Failure({ text, unless = null }: { text: string | null; unless?: string | null }) {
  if (text === null || text === unless) return null;
  return (
    <Box sx={{ px: 1.5, py: 1, fontSize: '0.8125rem', color: 'status.failed', overflowWrap: 'anywhere' }}>
      {text}
    </Box>
  );
}

interface ItemsProps {
  readonly group: ExecutionGroup;
  readonly state: TimelineState;
  readonly conclusions: readonly string[];
}

function Items({ group, state, conclusions }: ItemsProps) {
  return (
    <Box component="ol" sx={[items, group.items.length > MANY_ITEMS && outOfView]}>
      {group.items.map((item, index) => (
        <TimelineItem
          key={item.id}
          item={item}
          text={textOf(state, item)}
          repeated={isRepeated(item, group.items[index - 1], conclusions)}
        />
      ))}
    </Box>
  );
}

/** A conclusion often says again, word for word, what the response before it said, or what stands on top. */
function isRepeated(
  item: TimelineItemFragment,
  before: TimelineItemFragment | undefined,
  conclusions: readonly string[],
): boolean {
  if (item.type !== 'FINAL_ANALYSIS' && item.type !== 'EXECUTIVE_SUMMARY') return false;
  return item.content !== '' && (before?.content === item.content || conclusions.includes(item.content));
}

// Up to here the browser lays out a whole list without being noticed.
const MANY_ITEMS = 200;
const items = { m: 0, p: 0, py: 0.5, listStyle: 'none' } as const;
// Only what is in view is laid out. The size is that of a closed item, until it has been seen.
const outOfView = {
  '& > li': { contentVisibility: 'auto', containIntrinsicSize: 'auto 52px' },
  '@media print': { '& > li': { contentVisibility: 'visible' } },
} as const;

const section = { mb: 2, scrollMarginTop: HEADER_HEIGHT + 8 } as const;

const heading = {
  position: 'sticky',
  top: HEADER_HEIGHT,
  zIndex: 2,
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1.25,
  rowGap: 0.5,
  px: 1.5,
  py: 1,
  bgcolor: 'background.paper',
  borderBottom: '1px solid',
  borderColor: 'divider',
  borderRadius: '6px 6px 0 0',
} as const;

// On a phone the agent has a line of its own below the stage.
const agentOfStage = { minWidth: 0, order: { xs: 1, sm: 0 }, width: { xs: '100%', sm: 'auto' } } as const;

const agentLine = {
  fontSize: '0.8125rem',
  color: 'text.secondary',
  minWidth: 0,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
} as const;

const parallelAgent = { '& + &': { borderTop: 1, borderColor: 'divider' } } as const;
