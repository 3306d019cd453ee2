import {
  formatAbsolute,
  formatAgo,
  formatBothZones,
  formatClock,
  formatDay,
  formatDuration,
} from '../lib/format.ts';
import { useTimeZone } from '../lib/time-zone.ts';
import { useNow } from '../lib/use-now.ts';

const tabular = { fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' } as const;

/** Shows the duration from `start` to `end`, or to now while `end` is null. */
export function Duration({ start, end }: { start: string | null; end: string | null }) {
  const now = useNow(start !== null && end === null);
  const zone = useTimeZone();
  if (start === null) return <span aria-hidden="true">–</span>;
  const ms = Math.max(0, (end === null ? now : Date.parse(end)) - Date.parse(start));
  // Shows whole seconds while running, because milliseconds would only flicker.
  const shown = end === null ? Math.floor(ms / 1_000) * 1_000 : ms;
  const title = `${formatAbsolute(start, zone)}${end === null ? '' : ` to ${formatAbsolute(end, zone)}`}`;
  return (
    <span style={tabular} title={title}>
      {shown === 0 && end === null ? '0 s' : formatDuration(shown)}
    </span>
  );
}

/** Shows how long ago a time was, roughly. The tooltip shows the exact time in both zones. */
export function Ago({ time }: { time: string }) {
  const now = useNow(true, 30_000);
  const zone = useTimeZone();
  return (
    <time style={tabular} dateTime={time} title={formatBothZones(time, zone)}>
      {formatAgo(time, now, zone)}
    </time>
  );
}

/** Shows the time left until `until`, updated every second. */
export function TimeLeft({ until }: { until: string }) {
  const now = useNow(true);
  const zone = useTimeZone();
  return (
    <time style={tabular} dateTime={until} title={formatBothZones(until, zone)}>
      {formatDuration(Math.max(0, Date.parse(until) - now))}
    </time>
  );
}

/**
 * Shows a clock time in the chosen zone, preceded by the day unless the day is today. The tooltip shows both
 * zones.
 */
export function Clock({ time, stacked = false }: { time: string; stacked?: boolean }) {
  const now = useNow(true, 60_000);
  const zone = useTimeZone();
  const day = formatDay(time, now, zone);
  return (
    <time style={tabular} dateTime={time} title={formatBothZones(time, zone)}>
      {day === null ? null : day}
      {day === null ? null : stacked ? <br /> : ', '}
      {formatClock(time, zone)}
    </time>
  );
}
