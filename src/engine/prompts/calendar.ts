import type { SystemConfig } from '../../config/types.ts';

/** What the operator says of days. */
export type Calendar = SystemConfig['calendar'];

/**
 * What day it is where the people are, and whether they work: a holiday goes before a weekend. The time in UTC stands
 * before it, for logs have that.
 */
export function calendarLine(now: Date, { timeZone, weekend, holidays }: Calendar): string {
  const { words, figures } = clockOf(timeZone);
  const said = partsOf(words, now);
  const { year, month, day } = partsOf(figures, now);
  const { weekday = '' } = said;
  const time = `${said.hour}:${said.minute}`;
  const date = `${said.day} ${said.month} ${said.year}`;
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

/** What tells the time of one zone, in words and in figures. */
type Clock = Record<'words' | 'figures', Intl.DateTimeFormat>;

/** Made once: that takes longer than all else of an agent's first words. The operator names one zone. */
const clocks = new Map<string, Clock>();

function clockOf(timeZone: string): Clock {
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    const of = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat('en-GB', { timeZone, day: '2-digit', year: 'numeric', ...options });
    const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    clock = {
      words: of({ weekday: 'long', day: 'numeric', month: 'long', ...time }),
      figures: of({ month: '2-digit' }),
    };
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
