interface CalendarDate {
  /** `null` if not stated. */
  year: number | null;
  month: number;
  day: number;
}

/** A point in time as precise as the text states it. */
export interface ParsedTime {
  text: string;
  date: CalendarDate | null;
  /** `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fff`. */
  clock: string | null;
  /** Minutes east of UTC; `null` if not stated. */
  zone: number | null;
}

export interface LocatedTime extends ParsedTime {
  start: number;
  end: number;
}

/** True if the found time, cut to the precision of the claim, equals it. If the claim has a zone, both need one. */
export function isSameTime(claimed: ParsedTime, found: ParsedTime): boolean {
  const converted = claimed.zone === null ? found : inZone(found, claimed.zone);
  if (converted === null) return false;
  if (claimed.clock !== null && !isPrefixOf(claimed.clock, converted.clock)) return false;
  if (claimed.date === null) return true;
  const { date } = converted;
  if (date === null || date.month !== claimed.date.month || date.day !== claimed.date.day) return false;
  return claimed.date.year === null || claimed.date.year === date.year;
}

/** Parses seconds, milli-, micro- or nanoseconds since 1970; `null` for digits of another length or range. */
export function parseEpochTime(digits: string): ParsedTime | null {
  if (!/^1\d{9}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?$/.test(digits)) return null;
  const iso = new Date(
    Number(`${digits.slice(0, 10)}.${digits.slice(10).replace('.', '')}`) * 1000,
  ).toISOString();
  const [year = 0, month = 0, day = 0] = iso.slice(0, 10).split('-').map(Number);
  return { text: digits, date: { year, month, day }, clock: iso.slice(11, 23), zone: 0 };
}

export function extractTimes(text: string): LocatedTime[] {
  const dates = datesIn(text);
  const clocks = clocksIn(text);
  const found: LocatedTime[] = [];
  let next = 0;
  for (const date of dates) {
    while (next < clocks.length && clocks[next]!.start < date.start) found.push(clocks[next++]!);
    const clock = clocks[next];
    const gap = clock ? text.slice(date.end, Math.min(clock.start, date.end + 12)) : '';
    if (clock && clock.start - date.end <= 10 && GAP.test(gap)) {
      next += 1;
      found.push(withYear(text, { ...clock, date: date.date, start: date.start }));
    } else found.push(date);
  }
  return [...found, ...clocks.slice(next)];
}

/** Adds a year that follows the clock: `Nov 22 12:00:00 2026 GMT`. */
function withYear(text: string, time: LocatedTime): LocatedTime {
  const found = time.date?.year === null ? YEAR_BEHIND.exec(text.slice(time.end, time.end + 16)) : null;
  const end = time.end + (found?.[0].length ?? 0);
  const whole = { ...time, end, text: text.slice(time.start, end) };
  if (!found) return whole;
  const [, year, zone] = found;
  return { ...whole, date: { ...time.date!, year: Number(year) }, zone: zone ? zoneOf(zone) : time.zone };
}

const GAP = /^(?:[T:]| ?,? ?(?:at)? ?)$/;

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH = '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}';
const WORD_BEFORE = String.raw`(?<![\p{L}\p{N}_./:-])`;
const DATES: readonly [RegExp, (match: RegExpExecArray) => CalendarDate | null][] = [
  [
    new RegExp(`${WORD_BEFORE}(\\d{4})[-/](\\d{2})[-/](\\d{2})(?!\\d|-)`, 'gu'),
    ([, y, m, d]) => valid(y, m, d),
  ],
  [
    new RegExp(`${WORD_BEFORE}(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})(?![.\\d])`, 'gu'),
    ([, d, m, y]) => valid(y, m, d),
  ],
  [
    new RegExp(
      `${WORD_BEFORE}${MONTH}\\.? (\\d{1,2})(?!\\d)(?:st|nd|rd|th)?(?:,? (\\d{4})(?![\\d:]))?`,
      'gu',
    ),
    ([, m, d, y]) => valid(y, monthNamed(m!), d),
  ],
  [
    new RegExp(
      `${WORD_BEFORE}(\\d{1,2})(?:st|nd|rd|th|\\.)?[ /-]${MONTH}\\.?(?:[ /-](\\d{4})(?!\\d))?`,
      'gu',
    ),
    ([, d, m, y]) => valid(y, monthNamed(m!), d),
  ],
];

const monthNamed = (name: string) => String(MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1);

function valid(year?: string, month?: string, day?: string): CalendarDate | null {
  const date = { year: year === undefined ? null : Number(year), month: Number(month), day: Number(day) };
  return date.month >= 1 && date.month <= 12 && date.day >= 1 && date.day <= 31 ? date : null;
}

function datesIn(text: string): LocatedTime[] {
  const found: LocatedTime[] = [];
  for (const [pattern, read] of DATES) {
    for (const match of text.matchAll(pattern)) {
      const date = read(match);
      const [start, end] = [match.index, match.index + match[0].length];
      if (date) found.push({ text: match[0], date, clock: null, zone: null, start, end });
    }
  }
  found.sort((a, b) => a.start - b.start);
  return found.filter(({ start }, index) => index === 0 || start >= found[index - 1]!.end);
}

const ZONES: Readonly<Record<string, number>> = {
  Z: 0,
  UTC: 0,
  GMT: 0,
  CET: 60,
  CEST: 120,
  EST: -300,
  EDT: -240,
  PST: -480,
  PDT: -420,
  JST: 540,
};
const ZONE = Object.keys(ZONES).join('|');
const CLOCK = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.:/-])([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(?![\d:])(?: ?([aApP])\.?[mM](?![\p{L}])\.?)?(?: ?((?:${ZONE})(?![\p{L}\p{N}])|(?:UTC|GMT)?[+-]\d{2}(?::?\d{2})?(?![\d:])))?`,
  'gu',
);

/** Matches separators before a clock: the T or colon after a date, the dash of a time span. */
const BEFORE_CLOCK =
  /(?<=\d{4}-\d{2}-\d{2})T(?=\d)|(?<=\/\d{4}):(?=\d)|(?<=(?<![\d:])\d{1,2}:\d{2})-(?=\d{1,2}:\d{2})|(?<=\d{2}:\d{2}:\d{2})-(?=\d{2}:\d{2}:\d{2})/g;

const YEAR_BEHIND = new RegExp(`^ (\\d{4})(?![\\d:.-])(?: (${ZONE})(?!\\w))?`);

function clocksIn(text: string): LocatedTime[] {
  const parted = text.replace(BEFORE_CLOCK, ' ');
  const found: LocatedTime[] = [];
  for (const match of parted.matchAll(CLOCK)) {
    const [whole, hour = '', minute = '', second, fraction, half, zone] = match;
    const clock = [twoDigits(hourOf(Number(hour), half)), minute, ...(second ? [second] : [])].join(':');
    const start = match.index;
    found.push({
      text: text.slice(start, start + whole.length),
      date: null,
      clock: fraction ? `${clock}.${fraction}` : clock,
      zone: zone === undefined ? null : zoneOf(zone),
      start,
      end: start + whole.length,
    });
  }
  return found;
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

const twoDigits = (number: number) => String(number).padStart(2, '0');

function zoneOf(zone: string): number {
  const named = ZONES[zone];
  if (named !== undefined) return named;
  const [, sign, hours, minutes] = /([+-])(\d{2}):?(\d{2})?$/.exec(zone)!;
  return (Number(hours) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1);
}

function inZone(time: ParsedTime, zone: number): ParsedTime | null {
  if (time.clock === null) return time;
  if (time.zone === null) return null;
  const [hours = 0, minutes = 0] = time.clock.split(':').map(Number);
  const shifted = Math.floor(hours * 60 + minutes + zone - time.zone);
  const days = Math.floor(shifted / 1440);
  const ofDay = shifted - days * 1440;
  const clock = `${twoDigits(Math.floor(ofDay / 60))}:${twoDigits(ofDay % 60)}${time.clock.slice(5)}`;
  return { ...time, zone, clock, date: time.date && addDays(time.date, days) };
}

function addDays({ year, month, day }: CalendarDate, days: number): CalendarDate {
  const moved = new Date(Date.UTC(year ?? 2024, month - 1, day + days));
  return {
    year: year === null ? null : moved.getUTCFullYear(),
    month: moved.getUTCMonth() + 1,
    day: moved.getUTCDate(),
  };
}

function isPrefixOf(claimed: string, found: string | null): boolean {
  if (found === null) return false;
  return found === claimed || (found.startsWith(claimed) && /^[:.\d]/.test(found.slice(claimed.length)));
}
