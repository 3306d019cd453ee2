import Box from '@mui/material/Box';
import type { SessionDetail } from './session-toolbar.tsx';

type Health = SessionDetail['health'];

/**
 * Shows what the investigation is based on and what it lacked. The server counts these figures; no model influences
 * them.
 */
export function HealthStrip({ health, concluded }: { health: Health; concluded: boolean }) {
  const unmeasured = concluded && health.toolCalls - health.failedToolCalls === 0;
  const losses = lossesOf(health);
  const tone = unmeasured ? 'failed' : losses.length > 0 ? 'late' : 'queued';
  return (
    <Box
      role="note"
      aria-label="What it rests on"
      sx={{
        pl: 1.25,
        borderLeft: '3px solid',
        borderColor: `status.${tone}`,
        fontSize: '0.875rem',
        overflowWrap: 'anywhere',
      }}
    >
      <Box sx={{ fontWeight: 600, color: `status.${tone}` }}>
        {unmeasured
          ? 'Nothing was measured: this is what a model thinks of the alert’s text.'
          : health.toolCalls === 0
            ? 'No tool was called.'
            : `Rests on ${callsOf(health)}.`}
      </Box>
      {losses.map((loss) => (
        <Box key={loss}>{loss}</Box>
      ))}
    </Box>
  );
}

/** Returns the number of tool calls and of failed ones as text. */
export function callsOf({
  toolCalls,
  failedToolCalls,
}: Pick<Health, 'toolCalls' | 'failedToolCalls'>): string {
  const calls = toolCalls === 1 ? '1 call of a tool' : `${toolCalls} calls of tools`;
  return failedToolCalls === 0 ? calls : `${calls}, ${failedToolCalls} of which failed`;
}

function lossesOf(health: Health): string[] {
  const { toolCalls, failedToolCalls, missingServers, runbookProblem, resumed, shortenedOutputs, fallbacks } =
    health;
  return [
    ...(toolCalls > 0 && toolCalls === failedToolCalls
      ? [`Each of its ${toolCalls} calls of tools failed.`]
      : []),
    ...missingServers.map(({ name, reason }) => `Without ${name}: ${reason}`),
    ...(runbookProblem === null ? [] : [`Without its runbook: ${runbookProblem}`]),
    ...(shortenedOutputs === 0
      ? []
      : [`${results(shortenedOutputs)} too long and summarized, cut or set aside.`]),
    ...(fallbacks === 0
      ? []
      : [`Another provider’s model took over ${fallbacks === 1 ? 'once' : `${fallbacks} times`}.`]),
    ...(resumed === 0
      ? []
      : [`It went on in another process ${resumed === 1 ? 'once' : `${resumed} times`}.`]),
  ];
}

const results = (count: number): string => (count === 1 ? '1 result was' : `${count} results were`);
