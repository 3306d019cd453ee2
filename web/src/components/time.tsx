import { formatAbsolute, formatAgo, formatClock, formatDuration } from '../lib/format.ts';
import { useNow } from '../lib/use-now.ts';

const tabular = { fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' } as const;

/** How long something took, or has been taking: it ticks until `end` is there. */
export function Duration({ start, end }: { start: string | null; end: string | null }) {
  const now = useNow(start !== null && end === null);
  if (start === null) return <span aria-hidden="true">–</span>;
  const ms = Math.max(0, (end === null ? now : Date.parse(end)) - Date.parse(start));
  // A running time has no use for milliseconds: they would only flicker.
  const shown = end === null ? Math.floor(ms / 1_000) * 1_000 : ms;
  const title = `${formatAbsolute(start)}${end === null ? '' : ` to ${formatAbsolute(end)}`}`;
  return (
    <span style={tabular} title={title}>
      {shown === 0 && end === null ? '0 s' : formatDuration(shown)}
    </span>
  );
}

/** A moment, said coarsely; the exact time is its title. */
export function Ago({ time }: { time: string }) {
  const now = useNow(true, 30_000);
  return (
    <time style={tabular} dateTime={time} title={formatAbsolute(time)}>
      {formatAgo(time, now)}
    </time>
  );
}

/** A moment of today's clock; the date is in its title. */
export function Clock({ time }: { time: string }) {
  return (
    <time style={tabular} dateTime={time} title={formatAbsolute(time)}>
      {formatClock(time)}
    </time>
  );
}
