import type { TimeZone } from './time-zone.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a duration: `840 ms`, `12 s`, `3 m 07 s`, `2 h 05 m`, `1 d 03 h`, `1,204 d`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m ${two((ms % HOUR) % MINUTE, SECOND)} s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${two(ms % HOUR, MINUTE)} m`;
  if (ms < 100 * DAY) return `${Math.floor(ms / DAY)} d ${two(ms % DAY, HOUR)} h`;
  return `${Math.floor(ms / DAY).toLocaleString('en')} d`;
}

const two = (ms: number, unit: number): string => String(Math.floor(ms / unit)).padStart(2, '0');

/** Formats the time since `then`: `just now`, `5 m ago`, `3 h ago`, `2 d ago`; after a week the date in `zone`. */
export function formatAgo(then: string, now: number, zone: TimeZone = 'local'): string {
  const ms = now - Date.parse(then);
  if (ms < MINUTE) return 'just now';
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  if (ms < 7 * DAY) return `${Math.floor(ms / DAY)} d ago`;
  return formatters[zone].day().format(Date.parse(then));
}

export function formatAbsolute(time: string, zone: TimeZone = 'local'): string {
  return formatters[zone].absolute().format(Date.parse(time));
}

/** Formats a time in the chosen zone and, on a second line, in the other zone; one line if both are equal. */
export function formatBothZones(time: string, zone: TimeZone): string {
  const first = formatAbsolute(time, zone);
  const second = formatAbsolute(time, zone === 'utc' ? 'local' : 'utc');
  return first === second ? first : `${first}\n${second}`;
}

export function formatClock(time: string, zone: TimeZone = 'local'): string {
  return formatters[zone].clock().format(Date.parse(time));
}

/** Formats the day, such as `21 Nov`, with the year unless it is the current one; null for today. */
export function formatDay(time: string, now: number, zone: TimeZone = 'local'): string | null {
  const { date, year, shortDay, shortDate } = formatters[zone];
  const then = Date.parse(time);
  if (date().format(then) === date().format(now)) return null;
  return (year().format(then) === year().format(now) ? shortDay() : shortDate()).format(then);
}

/** Returns the name of the zone: `UTC`, `UTC+1`. */
export function zoneName(zone: TimeZone): string {
  const parts = formatters[zone].zone().formatToParts(Date.now());
  return (parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC')
    .replace('GMT', 'UTC')
    .replace(/^UTC\+0$/, 'UTC');
}

// Each formatter is created once, because creation takes about 0.3 ms and a page formats hundreds of times.
const formatters: Record<TimeZone, Formatters> = {
  local: formattersOf({}),
  utc: formattersOf({ timeZone: 'UTC' }),
};

interface Formatters {
  readonly day: () => Intl.DateTimeFormat;
  readonly absolute: () => Intl.DateTimeFormat;
  readonly clock: () => Intl.DateTimeFormat;
  readonly date: () => Intl.DateTimeFormat;
  readonly year: () => Intl.DateTimeFormat;
  readonly shortDay: () => Intl.DateTimeFormat;
  readonly shortDate: () => Intl.DateTimeFormat;
  readonly zone: () => Intl.DateTimeFormat;
}

function formattersOf(zone: Intl.DateTimeFormatOptions): Formatters {
  return {
    day: once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', ...zone })),
    absolute: once(
      () => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long', ...zone }),
    ),
    clock: once(() => new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', ...zone })),
    date: once(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'short', ...zone })),
    year: once(() => new Intl.DateTimeFormat('en-GB', { year: 'numeric', ...zone })),
    shortDay: once(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...zone })),
    shortDate: once(
      () => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', ...zone }),
    ),
    zone: once(() => new Intl.DateTimeFormat('en-GB', { timeZoneName: 'shortOffset', ...zone })),
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Formats a count with three digits: `987`, `12.3k`, `4.56M`. */
export function formatCount(count: number): string {
  // Counts from 999,500 use the next unit, because three digits would round them to 1000k.
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${(count / 1_000).toPrecision(3)}k`;
  return `${(count / 1_000_000).toPrecision(3)}M`;
}

/** Formats a size in binary units: `512 B`, `1.5 KiB`, `1 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [unit, size] = bytes < 1024 ** 2 ? ['KiB', 1024] : ['MiB', 1024 ** 2];
  return `${Number((bytes / size).toFixed(1))} ${unit}`;
}

/** Returns the size of a text in UTF-8 bytes. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
