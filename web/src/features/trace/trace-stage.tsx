import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { Fragment } from 'react';
import { HEADER_HEIGHT } from '../../components/app-shell.tsx';
import { CostText } from '../../components/cost-text.tsx';
import { FallbackBadge } from '../../components/fallback-badge.tsx';
import { StatusChip } from '../../components/status-chip.tsx';
import { Duration } from '../../components/time.tsx';
import { formatCount } from '../../lib/format.ts';
import { AxisRow, InteractionRow, indent } from './interaction-row.tsx';
import {
  type AgentNode,
  agentTree,
  enclosingSpan,
  type Interaction,
  interactionsOf,
  stageSpan,
  type TraceExecution,
  type TraceStage,
  usageWithSubAgents,
} from './trace-model.ts';
import type { Scale } from './waterfall.tsx';
import { useZoom } from './zoom.ts';

interface StageProps {
  readonly traced: TraceStage;
  /** The stage with only the interactions that match the filter. */
  readonly shown: TraceStage;
  readonly now: number;
  /** Start of the investigation (ms since the epoch). */
  readonly origin: number;
}

/** A stage with its agents and their interactions, on one time scale. */
export function TraceStageCard({ traced, shown, now, origin }: StageProps) {
  const { stage, executions } = traced;
  const span = stageSpan(traced, now);
  const whole = span ?? { start: origin, end: origin };
  const zoom = useZoom(whole);
  const scale = { whole: zoom.view, origin };
  return (
    <Paper
      component="section"
      aria-label={`Stage ${stage.index}, ${stage.name}`}
      id={`stage-${stage.index}`}
      {...zoom.handlers}
      sx={card}
    >
      <Box sx={heading}>
        <Typography variant="h2" sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          <Box component="span" sx={{ color: 'text.secondary', mr: 1 }}>
            {stage.index}
          </Box>
          {stage.name}
        </Typography>
        <StatusChip status={stage.status} />
        <Box sx={{ ml: 'auto', fontSize: '0.8125rem', color: 'text.secondary' }}>
          <Duration start={stage.startedAt} end={stage.completedAt} />
        </Box>
      </Box>
      {stage.errorMessage === null ? null : <Box sx={failure}>{stage.errorMessage}</Box>}
      {span === null ? null : <AxisRow zoom={zoom} whole={whole} origin={origin} />}
      {agentTree(shown.executions).map((node) => (
        <Agent key={node.traced.execution.id} node={node} all={executions} scale={scale} />
      ))}
      {executions.length === 0 ? <Box sx={none}>No agent ran in this stage.</Box> : null}
    </Paper>
  );
}

interface AgentProps {
  readonly node: AgentNode;
  /** All agents of the stage, with all their interactions. */
  readonly all: readonly TraceExecution[];
  readonly scale: Scale;
}

function Agent({ node: { traced, depth, rows, others }, all, scale }: AgentProps) {
  const { execution } = traced;
  const treeUsage = usageWithSubAgents(all, execution.id);
  const isIdle = all.some((one) => one.execution.id === execution.id && interactionsOf(one).length === 0);
  const subAgents = (nodes: readonly AgentNode[]) =>
    nodes.map((node) => (
      <Box key={node.traced.execution.id} component="li" sx={below}>
        <Agent node={node} all={all} scale={scale} />
      </Box>
    ));
  const model = [execution.llmProvider, execution.modelName].filter(Boolean).join(' · ');
  const { totalTokens, inputTokens, outputTokens } = execution.tokenUsage;
  const inset = { pl: 1.5 + indent(depth) };
  return (
    <Box role="group" aria-label={execution.agentName} sx={agent}>
      <Box sx={[agentHeading, inset]}>
        <Typography variant="h3" sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          {execution.agentName}
        </Typography>
        <StatusChip status={execution.status} />
        <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
          {model}
          <FallbackBadge original={execution.originalLlmProvider} />
        </Box>
        <Box sx={{ ml: 'auto', color: 'text.secondary', fontSize: '0.8125rem' }}>
          Cost <CostText cost={execution.cost} /> · {formatCount(totalTokens)} tokens (
          {formatCount(inputTokens)} in, {formatCount(outputTokens)} out) ·{' '}
          <Duration start={execution.startedAt} end={execution.completedAt} />
        </Box>
      </Box>
      {treeUsage === null ? null : (
        <Box sx={[aside, inset]}>
          Including sub-agents: cost <CostText cost={treeUsage.cost} /> · {formatCount(treeUsage.totalTokens)}{' '}
          tokens
        </Box>
      )}
      {execution.task === null ? null : <Box sx={[aside, inset]}>Task: {execution.task}</Box>}
      {execution.errorMessage === null ? null : <Box sx={[failure, inset]}>{execution.errorMessage}</Box>}
      {isIdle ? <Box sx={[none, inset]}>No completed interactions yet.</Box> : null}
      {rows.length + others.length === 0 ? null : (
        <Box component="ol" sx={list}>
          {rows.map(({ interaction, started }) => (
            <Fragment key={interaction.key}>
              <InteractionRow interaction={interaction} scale={scale} depth={depth} />
              {subAgents(started)}
            </Fragment>
          ))}
          {subAgents(others)}
        </Box>
      )}
    </Box>
  );
}

/** Lists the session's calls that belong to no agent, such as the call for the executive summary. */
export function SessionCalls({
  interactions,
  origin,
}: {
  interactions: readonly Interaction[];
  origin: number;
}) {
  const span = enclosingSpan(interactions);
  const whole = span ?? { start: origin, end: origin };
  const zoom = useZoom(whole);
  if (span === null) return null;
  const scale = { whole: zoom.view, origin };
  return (
    <Paper component="section" aria-label="Session-level calls" {...zoom.handlers} sx={card}>
      <Box sx={heading}>
        <Typography variant="h2">Session-level calls</Typography>
      </Box>
      <AxisRow zoom={zoom} whole={whole} origin={origin} />
      <Box component="ol" sx={list}>
        {interactions.map((interaction) => (
          <InteractionRow key={interaction.key} interaction={interaction} scale={scale} />
        ))}
      </Box>
    </Paper>
  );
}

const card = { mb: 2, minWidth: 0, scrollMarginTop: HEADER_HEIGHT + 8 } as const;
const heading = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 1.25,
  px: 1.5,
  py: 1,
  borderBottom: '1px solid',
  borderColor: 'divider',
} as const;
const agent = { '& + &': { borderTop: '1px solid', borderColor: 'divider' } } as const;
const agentHeading = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 1,
  px: 1.5,
  pt: 1,
} as const;
const list = { m: 0, p: 0, py: 0.5, listStyle: 'none' } as const;
const failure = {
  px: 1.5,
  py: 1,
  fontSize: '0.8125rem',
  color: 'status.failed',
  overflowWrap: 'anywhere',
} as const;
const aside = {
  px: 1.5,
  pt: 0.5,
  fontSize: '0.8125rem',
  color: 'text.secondary',
  overflowWrap: 'anywhere',
} as const;
/** Marks the rows of a sub-agent without moving their bars. */
const below = { boxShadow: 'inset 2px 0 0 var(--mui-palette-divider)' } as const;
const none = { px: 1.5, py: 1, fontSize: '0.8125rem', color: 'text.secondary' } as const;
