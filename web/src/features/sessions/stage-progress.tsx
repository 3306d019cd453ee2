import Box from '@mui/material/Box';
import type { SessionRowFragment } from '../../graphql/gen/documents.ts';

/** Shows the current stage of an investigation, with a bar if the number of stages is known. */
export function StageProgress({ session, count }: { session: SessionRowFragment; count: number | null }) {
  const stage = session.currentStage;
  if (stage === null) return session.status === 'PENDING' ? null : <span>Starting</span>;
  // The current configuration of the chain may have fewer stages than this session runs.
  const total = count === null ? null : Math.max(count, stage.index);
  const done = stage.index - (stage.status === 'COMPLETED' ? 0 : 1);
  const last = total !== null && stage.status === 'COMPLETED' && stage.index === total;
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 1, minWidth: 0 }}>
      {total === null ? null : (
        <Box component="span" aria-hidden="true" sx={bar}>
          {Array.from({ length: total }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a stage's index is its identity
            <Box key={index} component="span" sx={index < done ? full : index === done ? half : {}} />
          ))}
        </Box>
      )}
      <Box component="span" sx={{ color: 'text.primary' }}>
        {last
          ? 'Writing the summary'
          : `Stage ${stage.index}${total === null ? '' : ` of ${total}`}: ${stage.name}`}
      </Box>
    </Box>
  );
}

const bar = {
  display: 'inline-flex',
  gap: '2px',
  flex: 'none',
  '& > span': { width: 14, height: 5, borderRadius: 1, bgcolor: 'divider' },
} as const;
const full = { '&&': { bgcolor: 'status.running' } } as const;
const half = {
  '&&': { bgcolor: 'color-mix(in srgb, var(--mui-palette-status-running) 45%, transparent)' },
} as const;
