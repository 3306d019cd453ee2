import Box from '@mui/material/Box';
import { useMemo } from 'react';
import type { TimelineState } from '../timeline/timeline-reducer.ts';
import { toolCallFacts } from '../timeline/tool-call.ts';
import type { SessionDetail } from './session-detail.ts';

type Health = SessionDetail['health'];

/** Shows an investigation's evidence and limitations, as counted by the server without influence of a model. */
export function HealthStrip({ health, concluded }: { health: Health; concluded: boolean }) {
  const noData = concluded && health.toolCalls - health.failedToolCalls === 0;
  const limitations = limitationsOf(health);
  const tone = noData ? 'failed' : limitations.length > 0 ? 'late' : 'queued';
  return (
    <Box
      role="note"
      aria-label="Evidence basis"
      sx={{
        pl: 1.25,
        borderLeft: '3px solid',
        borderColor: `status.${tone}`,
        fontSize: '0.875rem',
        overflowWrap: 'anywhere',
      }}
    >
      <Box sx={{ fontWeight: 600, color: `status.${tone}` }}>
        {noData
          ? 'No tool data: the conclusion relies only on the alert text.'
          : health.toolCalls === 0
            ? 'No tool calls.'
            : `Based on ${toolCallsText(health)}.`}
      </Box>
      {limitations.map((limitation) => (
        <Box key={limitation}>{limitation}</Box>
      ))}
    </Box>
  );
}

/** Shows the number of tool calls and the unavailable servers, in place of the verdict, while the investigation runs. */
export function ProgressNote({
  items,
  missingServers,
}: {
  items: TimelineState['items'];
  missingServers: Health['missingServers'];
}) {
  const calls = useMemo(() => {
    const ended = [...items.values()].filter(
      ({ type, status }) => type === 'LLM_TOOL_CALL' && status !== 'STREAMING',
    );
    const failed = ended.filter(
      ({ status, metadata }) => status !== 'COMPLETED' || toolCallFacts(metadata).isError,
    );
    return { toolCalls: ended.length, failedToolCalls: failed.length };
  }, [items]);
  return (
    <Box role="note" aria-label="Progress" sx={{ mb: 1.5, fontSize: '0.875rem' }}>
      <Box component="span" sx={{ fontWeight: 600 }}>
        No verdict yet.
      </Box>{' '}
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {calls.toolCalls === 0 ? 'No tool results yet.' : `${toolCallsText(calls)} so far.`}
      </Box>
      {missingServers.map((server) => (
        <Box key={server.name} sx={{ color: 'status.late', overflowWrap: 'anywhere' }}>
          {missingText(server)}
        </Box>
      ))}
    </Box>
  );
}

/** Returns the number of tool calls and of failed ones as text. */
function toolCallsText({
  toolCalls,
  failedToolCalls,
}: Pick<Health, 'toolCalls' | 'failedToolCalls'>): string {
  const calls = toolCalls === 1 ? '1 tool call' : `${toolCalls} tool calls`;
  return failedToolCalls === 0 ? calls : `${calls} (${failedToolCalls} failed)`;
}

const earlyReasons: Record<Health['earlyConclusions'][number]['reason'], string> = {
  ITERATIONS: 'all its iterations were used',
  TIME_BUDGET: 'its time was nearly used up',
  BUDGET: 'a budget was used up',
  CONTEXT_WINDOW: 'the conversation was too long for its model',
  ALERTS_RESOLVED: 'the alerts were resolved',
  REQUESTED: 'a responder asked for it',
};

function limitationsOf(health: Health): string[] {
  const { toolCalls, failedToolCalls, missingServers, runbookProblem, resumed, shortenedOutputs, fallbacks } =
    health;
  return [
    ...health.earlyConclusions.map(
      ({ agentName, reason }) => `${agentName} had to conclude early: ${earlyReasons[reason]}.`,
    ),
    ...(toolCalls > 0 && toolCalls === failedToolCalls ? [`All ${toolCalls} tool calls failed.`] : []),
    ...missingServers.map(missingText),
    ...(runbookProblem === null ? [] : [`Runbook unavailable: ${runbookProblem}`]),
    ...(shortenedOutputs === 0
      ? []
      : [`${resultsText(shortenedOutputs)} summarized, shortened or stored separately because of length.`]),
    ...(fallbacks === 0
      ? []
      : [`Fell back to another model provider ${fallbacks === 1 ? 'once' : `${fallbacks} times`}.`]),
    ...(resumed === 0 ? [] : [`Interrupted and resumed ${resumed === 1 ? 'once' : `${resumed} times`}.`]),
  ];
}

const missingText = ({ name, reason }: Health['missingServers'][number]): string =>
  `Tools of ${name} unavailable: ${reason}`;

const resultsText = (count: number): string =>
  count === 1 ? '1 tool result was' : `${count} tool results were`;
