import Box from '@mui/material/Box';
import { formatDuration } from '../../lib/format.ts';
import type { Span } from './trace-model.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Round distances between ticks (ms). */
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 4, 8, 12, 24, 48, 168].map((n) => n * HOUR),
];
const MAX_TICKS = 5;

export interface Tick {
  /** Position of the tick in percent of the span. */
  readonly left: number;
  readonly label: string;
}

/** Returns ticks at round times within a span; their labels are relative to `origin` (ms since the epoch). */
export function ticksOf({ start, end }: Span, origin: number): Tick[] {
  const length = Math.max(1, end - start);
  const step = STEPS.find((each) => length / each <= MAX_TICKS) ?? length / MAX_TICKS;
  const ticks: Tick[] = [];
  for (let at = Math.ceil((start - origin) / step) * step; at <= end - origin; at += step)
    ticks.push({ left: ((at - (start - origin)) / length) * 100, label: labelOf(at, step) });
  return ticks;
}

/** Formats a tick's time; ticks less than a second apart get fractions of a second. */
function labelOf(at: number, step: number): string {
  if (at < SECOND || step >= SECOND) return formatDuration(at).replace(/^0 ms$/, '0');
  return at < MINUTE ? `${Number((at / SECOND).toFixed(3))} s` : `${formatDuration(at)} ${at % SECOND} ms`;
}

/** The time axis above bars that are drawn within `span`. */
export function TimeAxis({ span, origin }: { span: Span; origin: number }) {
  return (
    <Box aria-hidden="true" sx={axis}>
      {ticksOf(span, origin).map(({ left, label }) => (
        <Box
          key={label}
          component="span"
          style={{ left: `${left}%`, transform: left > 70 ? 'translateX(-100%)' : undefined }}
          sx={[tick, left > 70 && { borderLeft: 0, borderRight: 1, borderColor: 'divider' }]}
        >
          {label}
        </Box>
      ))}
    </Box>
  );
}

const axis = { position: 'relative', height: 16, minWidth: 60, overflow: 'hidden' } as const;
const tick = {
  position: 'absolute',
  top: 0,
  px: 0.5,
  borderLeft: 1,
  borderColor: 'divider',
  fontSize: '0.6875rem',
  lineHeight: '16px',
  color: 'text.secondary',
  whiteSpace: 'nowrap',
  // A phone shows every other label.
  '&:nth-of-type(even)': { display: { xs: 'none', sm: 'block' } },
  fontVariantNumeric: 'tabular-nums',
} as const;
