import Box from '@mui/material/Box';
import { useId, useMemo, useState } from 'react';
import { formatAbsolute, formatClock } from '../lib/format.ts';
import { readTimeSeries, type TimePoint, type TimeSeries } from '../lib/time-series.ts';
import { type TimeZone, useTimeZone } from '../lib/time-zone.ts';
import { MoreButton } from './more-button.tsx';

const SHOWN_FIRST = 4;
// Size of the drawing (SVG units).
const WIDTH = 240;
const HEIGHT = 40;
const DAY = 86_400_000;

/** Shows a small chart for each time series in a text; nothing if there is none. */
export function TimeSeriesCharts({ text }: { text: string }) {
  const series = useMemo(() => readTimeSeries(text), [text]);
  const [shownCount, setShownCount] = useState(SHOWN_FIRST);
  if (series.length === 0) return null;
  return (
    <Box sx={{ mb: 0.5 }}>
      {series.slice(0, shownCount).map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two series may have one name, and their order is the text's
        <Chart key={index} series={one} />
      ))}
      {series.length > shownCount ? (
        <MoreButton onClick={() => setShownCount(shownCount + 20)}>
          {series.length - shownCount} more of {series.length} time series
        </MoreButton>
      ) : null}
    </Box>
  );
}

function Chart({ series: { name, points } }: { series: TimeSeries }) {
  const id = useId();
  const zone = useTimeZone();
  const summary = useMemo(() => summaryOf(points, zone), [points, zone]);
  return (
    <Box component="figure" sx={figure}>
      <Box sx={{ ...small, fontWeight: 600, color: 'text.primary' }}>{name || 'Values'}</Box>
      <svg
        role="img"
        aria-labelledby={id}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        style={{ display: 'block', width: '100%', height: HEIGHT }}
      >
        <title id={id}>{`${name || 'Values'}: ${summary}`}</title>
        <polyline
          points={polylinePoints(points)}
          fill="none"
          stroke="var(--mui-palette-primary-main)"
          strokeWidth={1.5}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <Box component="figcaption" sx={small}>
        {summary}
      </Box>
    </Box>
  );
}

function summaryOf(points: readonly TimePoint[], zone: TimeZone): string {
  const lowest = points.reduce((a, b) => (b.value < a.value ? b : a));
  const highest = points.reduce((a, b) => (b.value > a.value ? b : a));
  const [first, last] = [points[0]!, points.at(-1)!];
  const dateAndTime = ({ time }: TimePoint): string => formatAbsolute(new Date(time).toISOString(), zone);
  const clock = ({ time }: TimePoint): string => formatClock(new Date(time).toISOString(), zone);
  const when = last.time - first.time < DAY ? clock : dateAndTime;
  const values =
    lowest.value === highest.value
      ? `Constant ${formatValue(last.value)}`
      : `Last ${formatValue(last.value)}, lowest ${formatValue(lowest.value)} at ${when(lowest)}, highest ${formatValue(highest.value)} at ${when(highest)}`;
  return `${values}; ${points.length} points from ${dateAndTime(first)} to ${when(last)}.`;
}

function formatValue(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString('en', { maximumFractionDigits: 6 });
}

/** Returns the polyline's points. Keeps only the first, lowest, highest and last value per SVG unit of width. */
function polylinePoints(points: readonly TimePoint[]): string {
  const [first, last] = [points[0]!.time, points.at(-1)!.time];
  const values = points.map(({ value }) => value);
  const low = values.reduce((a, b) => Math.min(a, b));
  const span = values.reduce((a, b) => Math.max(a, b)) - low;
  const x = (time: number): number => ((time - first) / (last - first)) * WIDTH;
  const y = (value: number): number =>
    span === 0 ? HEIGHT / 2 : HEIGHT - 1 - ((value - low) / span) * (HEIGHT - 2);
  const columns = Map.groupBy(points, ({ time }) => Math.floor(x(time)));
  return [...columns.values()]
    .flatMap((column) => {
      const lowest = column.reduce((a, b) => (b.value < a.value ? b : a));
      const highest = column.reduce((a, b) => (b.value > a.value ? b : a));
      return [...new Set([column[0]!, lowest, highest, column.at(-1)!])].sort((a, b) => a.time - b.time);
    })
    .map(({ time, value }) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`)
    .join(' ');
}

const figure = { m: 0, mb: 0.75, maxWidth: 640, minWidth: 0 } as const;
const small = {
  fontSize: '0.75rem',
  color: 'text.secondary',
  fontVariantNumeric: 'tabular-nums',
  overflowWrap: 'anywhere',
} as const;
