import Box from '@mui/material/Box';
import { StatusDot } from '../../components/status-chip.tsx';
import { Ago } from '../../components/time.tsx';
import type { AlertSourcesQuery } from '../../graphql/gen/documents.ts';
import { formatDuration } from '../../lib/format.ts';

type Canary = NonNullable<AlertSourcesQuery['alertSources'][number]['canary']>;

/** Shows whether a source's canary arrives as often as expected, and its last result. */
export function SignOfLife({ canary }: { canary: Canary }) {
  const tone = canary.healthy ? (canary.lastArrivedAt === null ? 'queued' : 'done') : 'failed';
  return (
    <Box sx={line}>
      <StatusDot tone={tone} />
      <Box component="span" sx={{ fontWeight: 600, color: `status.${tone}` }}>
        {canary.healthy ? 'Canary received' : 'Canary missing'}
      </Box>
      <Box component="span" sx={{ overflowWrap: 'anywhere' }}>
        {canary.healthy ? <LastArrival canary={canary} /> : canary.lastError}
      </Box>
    </Box>
  );
}

function LastArrival({ canary }: { canary: Canary }) {
  const { everySeconds, lastArrivedAt, lastCompletedAt, lastDurationMs } = canary;
  const every = formatDuration(everySeconds * 1_000);
  if (lastArrivedAt === null) return `first canary expected within ${every}`;
  return (
    <>
      last received <Ago time={lastArrivedAt} />, expected every {every}
      {lastCompletedAt === null ? null : (
        <>
          , last investigated <Ago time={lastCompletedAt} />
          {lastDurationMs === null ? null : ` (took ${formatDuration(lastDurationMs)})`}
        </>
      )}
    </>
  );
}

const line = {
  ml: 2.5,
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 0.75,
  fontSize: '0.8125rem',
  color: 'text.secondary',
} as const;
