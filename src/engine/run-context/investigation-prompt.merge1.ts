import type { SystemConfig } from '../../config/types.ts';

/** What the operator says of days. */
export type Calendar = SystemConfig['calendar'];

/**
 * What day it is where the people are, and whether they work: a holiday goes before a weekend. The time in UTC stands
 * before it, for logs have that.
 */
export function calendarLine(now: Date, { timeZone, weekend, holidays }: Calendar): string {
  const { weekday = '', year, month, day, hour, minute } = partsOf(clockOf(timeZone), now);
  const time = `${hour}:${minute}`;
  const date = `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`;
  const dates = [`${month}-${day}`, `${year}-${month}-${day}`];
  const holiday = holidays.find((entry) => dates.includes(entry.split(' ', 1)[0]!));
  const name = holiday?.slice(holiday.indexOf(' ') + 1);
  const kind =
    holiday !== undefined
      ? `a public holiday${holiday.includes(' ') ? ` (${name})` : ''}`
      : weekend.some((each) => each === weekday.toLowerCase())
        ? 'a weekend'
        : null;
  const when = `Where the operators are (${timeZone}), it is ${weekday}, ${date}, ${time}`;
  return kind === null
    ? `${when}: a working day.`
    : `${when}: ${kind}. Fewer people and other traffic than on working days are usual; say so where it matters for what you conclude.`;
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/** Made once: that takes longer than all else of an agent's first words. The operator names one zone. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    const date = { weekday: 'long', day: '2-digit', month: '2-digit', year: 'numeric' } as const;
    const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    clock = new Intl.DateTimeFormat('en-GB', { timeZone, ...date, ...time });
    clocks.set(timeZone, clock);
  }
  return clock;
}

function partsOf(
  format: Intl.DateTimeFormat,
  at: Date,
): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}
