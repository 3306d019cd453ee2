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

/** A duration, which ticks until `end` is known. */
export function Duration({ start, end }: { start: string | null; end: string | null }) {
  const now = useNow(start !== null && end === null);
  const zone = useTimeZone();
  if (start === null) return <span aria-hidden="true">–</span>;
  const ms = Math.max(0, (end === null ? now : Date.parse(end)) - Date.parse(start));
  // Milliseconds would only flicker while running.
  const shown = end === null ? Math.floor(ms / 1_000) * 1_000 : ms;
  const title = `${formatAbsolute(start, zone)}${end === null ? '' : ` to ${formatAbsolute(end, zone)}`}`;
  return (
    <span style={tabular} title={title}>
      {shown === 0 && end === null ? '0 s' : formatDuration(shown)}
    </span>
  );
}

/** A coarse relative time; the exact time in both zones is its title. */
export function Ago({ time }: { time: string }) {
  const now = useNow(true, 30_000);
  const zone = useTimeZone();
  return (
    <time style={tabular} dateTime={time} title={formatBothZones(time, zone)}>
      {formatAgo(time, now, zone)}
    </time>
  );
}

/** The time left until a future moment; ticks. */
export function TimeLeft({ until }: { until: string }) {
  const now = useNow(true);
  const zone = useTimeZone();
  return (
    <time style={tabular} dateTime={until} title={formatBothZones(until, zone)}>
      {formatDuration(Math.max(0, Date.parse(until) - now))}
    </time>
  );
}

/** The clock time in the chosen zone, preceded by the day unless today. The other zone is in its title. */
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
