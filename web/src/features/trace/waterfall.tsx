import Box from '@mui/material/Box';
import { formatDuration } from '../../lib/format.ts';
import { positionWithin, roundedPercents, type Span, type TimeShares } from './trace-model.ts';

export type BarKind = 'llm' | 'mcp' | 'stage' | 'failed';

const colours: Record<BarKind, string> = {
  llm: 'primary.main',
  mcp: 'status.late',
  stage: 'text.secondary',
  failed: 'status.failed',
};

/** `whole` is the shown span; shown times count from `origin`, the start of the investigation. */
export interface Scale {
  readonly whole: Span;
  readonly origin: number;
}

/** A bar that shows when a stage or interaction ran within `whole`. Draws nothing for a span outside it. */
export function WaterfallBar({ span, whole, origin, kind }: Scale & { span: Span; kind: BarKind }) {
  const { left, width } = positionWithin(span, whole);
  const duration = span.end - span.start;
  const start = formatDuration(span.start - origin);
  return (
    <Box
      component="span"
      sx={track}
      title={`starts after ${start}, takes ${duration < 1 ? 'less than 1 ms' : formatDuration(duration)}`}
    >
      {span.end < whole.start || span.start > whole.end ? null : (
        <Box
          component="span"
          style={{ left: `${left}%`, width: `${width}%` }}
          sx={{ ...bar, bgcolor: colours[kind] }}
        />
      )}
    </Box>
  );
}

/** Shows how the time of the investigation was spent, as a bar and as text. */
export function TimeBar({ shares }: { shares: TimeShares }) {
  const { total, models, tools, rest } = shares;
  if (total === 0) return null;
  const parts = [
    { name: 'Models', ms: models, colour: colours.llm },
    { name: 'Tools', ms: tools, colour: colours.mcp },
    { name: 'Other', ms: rest, colour: 'divider' },
  ];
  const percents = roundedPercents(parts.map(({ ms }) => ms));
  const visibleParts = parts
    .map((part, index) => ({ ...part, percent: percents[index] }))
    .filter(({ ms }) => ms > 0);
  return (
    <Box>
      <Box aria-hidden="true" sx={shareBar}>
        {visibleParts.map(({ name, ms, colour }) => (
          <Box key={name} style={{ width: `${(ms / total) * 100}%` }} sx={{ bgcolor: colour }} />
        ))}
      </Box>
      <Box sx={legend}>
        {visibleParts.map(({ name, ms, colour, percent }) => (
          <Box key={name} component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.75 }}>
            <Box aria-hidden="true" sx={{ width: 10, height: 10, borderRadius: 0.5, bgcolor: colour }} />
            {name} {formatDuration(ms)} ({percent === 0 ? '< 1' : percent} %)
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
