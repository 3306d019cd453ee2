/** A point in time as far as a text says it. */
export interface Time {
  /** As it is written. */
  text: string;
  /** Year null: not said. */
  date: { year: number | null; month: number; day: number } | null;
  /** `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fff`. */
  clock: string | null;
  /** Minutes east of UTC; null = not said. */
  zone: number | null;
}

export interface PlacedTime extends Time {
  start: number;
  end: number;
}

/** Whether the time of a claim is what was found, cut (never rounded) to what the claim says. A zone must be said to be compared. */
export function isSameTime(claimed: Time, found: Time): boolean {
  const there = claimed.zone === null ? found : inZone(found, claimed.zone);
  if (there === null) return false;
  if (claimed.clock !== null && !isCutOf(claimed.clock, there.clock)) return false;
  if (claimed.date === null) return true;
  const { date } = there;
  if (date === null || date.month !== claimed.date.month || date.day !== claimed.date.day) return false;
  return claimed.date.year === null || claimed.date.year === date.year;
}

/** Seconds or milliseconds since 1970, as APIs give times. Null: no such number. */
export function timeOfEpoch(digits: string): Time | null {
  if (!/^1\d{9}(?:\d{3})?(?:\.\d+)?$/.test(digits)) return null;
  const number = Number(digits);
  const iso = new Date(number >= 1e12 ? number : number * 1000).toISOString();
  return { text: digits, date: dateOf(iso.slice(0, 10)), clock: iso.slice(11, 23), zone: 0 };
}

/** Times in a text that was folded, in their order. */
export function timesIn(text: string): PlacedTime[] {
  const dates = datesIn(text);
  const clocks = clocksIn(text);
  const found: PlacedTime[] = [];
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

/** The year may stand behind the clock: `Nov 22 12:00:00 2026 GMT`. */
function withYear(text: string, time: PlacedTime): PlacedTime {
  const found = time.date?.year === null ? YEAR_BEHIND.exec(text.slice(time.end, time.end + 16)) : null;
  const end = time.end + (found?.[0].length ?? 0);
  const whole = { ...time, end, text: text.slice(time.start, end) };
  if (!found) return whole;
  const [, year, zone] = found;
  return { ...whole, date: { ...time.date!, year: Number(year) }, zone: zone ? zoneOf(zone) : time.zone };
}

const GAP = /^(?:[T:]| ?,? ?(?:at|um|à|a las|alle|kl\.?)? ?)$/;

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH = '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}';
const WORD_BEFORE = String.raw`(?<![\p{L}\p{N}_./:-])`;
const DATES: readonly [RegExp, (match: RegExpExecArray) => PlacedTime['date']][] = [
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

function valid(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
): PlacedTime['date'] {
  const date = { year: year === undefined ? null : Number(year), month: Number(month), day: Number(day) };
  return date.month >= 1 && date.month <= 12 && date.day >= 1 && date.day <= 31 ? date : null;
}

function datesIn(text: string): PlacedTime[] {
  const found: PlacedTime[] = [];
  for (const [pattern, read] of DATES) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
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
  MEZ: 60,
  CEST: 120,
  MESZ: 120,
  EST: -300,
  EDT: -240,
  PST: -480,
  PDT: -420,
  JST: 540,
};
const ZONE = `Z|UTC|GMT|CES?T|MES?Z|E[SD]T|P[SD]T|JST`;
const CLOCK = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.:/-])([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(?![\d:])(?: ?([aApP])\.?[mM](?![\p{L}])\.?)?(?: ?((?:${ZONE})(?![\p{L}\p{N}])|(?:UTC|GMT)?[+-]\d{2}:?\d{2}(?!\d)))?`,
  'gu',
);

/** A date's T or colon, and the dash of a span: made a space, so that one rule says where a clock begins. */
const BEFORE_CLOCK =
  /(?<=\d{4}-\d{2}-\d{2})T(?=\d)|(?<=\/\d{4}):(?=\d)|(?<=(?<![\d:])\d{1,2}:\d{2})-(?=\d{1,2}:\d{2})/g;

const YEAR_BEHIND = new RegExp(`^ (\\d{4})(?![\\d:.-])(?: (${ZONE})(?!\\w))?`);

function clocksIn(text: string): PlacedTime[] {
  const parted = text.replace(BEFORE_CLOCK, ' ');
  const found: PlacedTime[] = [];
  CLOCK.lastIndex = 0;
  for (let match = CLOCK.exec(parted); match !== null; match = CLOCK.exec(parted)) {
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
  const [, sign, hours, minutes] = /([+-])(\d{2}):?(\d{2})$/.exec(zone)!;
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
}

/** The same time in another zone; null when its own is not known. */
function inZone(time: Time, zone: number): Time | null {
  if (time.clock === null) return time;
  if (time.zone === null) return null;
  const [hours = 0, minutes = 0] = time.clock.split(':').map(Number);
  const shifted = Math.floor(hours * 60 + minutes + zone - time.zone);
  const days = Math.floor(shifted / 1440);
  const ofDay = shifted - days * 1440;
  const clock = `${twoDigits(Math.floor(ofDay / 60))}:${twoDigits(ofDay % 60)}${time.clock.slice(5)}`;
  return { ...time, zone, clock, date: time.date && addDays(time.date, days) };
}

function addDays({ year, month, day }: NonNullable<Time['date']>, days: number): NonNullable<Time['date']> {
  const moved = new Date(Date.UTC(year ?? 2024, month - 1, day + days));
  return {
    year: year === null ? null : moved.getUTCFullYear(),
    month: moved.getUTCMonth() + 1,
    day: moved.getUTCDate(),
  };
}

function isCutOf(claimed: string, found: string | null): boolean {
  if (found === null) return false;
  return found === claimed || (found.startsWith(claimed) && /^[:.\d]/.test(found.slice(claimed.length)));
}

function dateOf(iso: string): NonNullable<Time['date']> {
  const [year = 0, month = 0, day = 0] = iso.split('-').map(Number);
  return { year, month, day };
}
