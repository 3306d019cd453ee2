import Box from '@mui/material/Box';
import { formatDuration } from '../../lib/format.ts';
import { placeWithin, type Span, type TimeShares } from './trace-model.ts';

/** What a bar stands for; the colours are the theme's. */
export type BarKind = 'llm' | 'mcp' | 'stage' | 'failed';

const colours: Record<BarKind, string> = {
  llm: 'primary.main',
  mcp: 'status.late',
  stage: 'text.secondary',
  failed: 'status.failed',
};

/** When something happened, drawn within the time of what it is part of. */
export function WaterfallBar({ span, whole, kind }: { span: Span; whole: Span; kind: BarKind }) {
  const { left, width } = placeWithin(span, whole);
  const begin = formatDuration(span.start - whole.start);
  return (
    <Box
      component="span"
      sx={track}
      title={`begins after ${begin}, takes ${formatDuration(span.end - span.start)}`}
    >
      <Box
        component="span"
        style={{ left: `${left}%`, width: `${width}%` }}
        sx={{ ...bar, bgcolor: colours[kind] }}
      />
    </Box>
  );
}

/** Where the time of the investigation went, as one bar and in words. */
export function TimeBar({ shares }: { shares: TimeShares }) {
  const { total, models, tools, rest } = shares;
  if (total === 0) return null;
  const parts = [
    { name: 'Models', ms: models, colour: colours.llm },
    { name: 'Tools', ms: tools, colour: colours.mcp },
    { name: 'Everything else', ms: rest, colour: 'divider' },
  ];
  return (
    <Box>
      <Box aria-hidden="true" sx={shareBar}>
        {parts.map(({ name, ms, colour }) => (
          <Box key={name} style={{ width: `${(ms / total) * 100}%` }} sx={{ bgcolor: colour }} />
        ))}
      </Box>
      <Box sx={legend}>
        {parts.map(({ name, ms, colour }) => (
          <Box key={name} component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.75 }}>
            <Box aria-hidden="true" sx={{ width: 10, height: 10, borderRadius: 0.5, bgcolor: colour }} />
            {name} {formatDuration(ms)} ({Math.round((ms / total) * 100)} %)
          </Box>
        ))}
      </Box>
    </Box>
  );
}

const track = {
  display: 'block',
  position: 'relative',
  height: 10,
  minWidth: 60,
  borderRadius: 0.5,
  bgcolor: 'well',
  overflow: 'hidden',
} as const;
const bar = { position: 'absolute', top: 0, bottom: 0, borderRadius: 0.5 } as const;
const shareBar = {
  display: 'flex',
  height: 12,
  borderRadius: 1,
  overflow: 'hidden',
  bgcolor: 'well',
} as const;
const legend = {
  display: 'flex',
  flexWrap: 'wrap',
  columnGap: 2.5,
  rowGap: 0.5,
  mt: 0.75,
  fontSize: '0.8125rem',
  fontVariantNumeric: 'tabular-nums',
} as const;
