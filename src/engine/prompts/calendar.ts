import type { SystemConfig } from '../../config/types.ts';

/** What the operator says of days. */
export type Calendar = SystemConfig['calendar'];

/**
 * What day it is where the people are, and whether they work: a holiday goes before a weekend. The time in UTC stands
 * before it, for logs have that.
 */
export function calendarLine(now: Date, { timeZone, weekend, holidays }: Calendar): string {
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, ...options }).format(now);
  const [year, month, day] = ['year', 'month', 'day'].map((name) =>
    part({ [name]: name === 'year' ? 'numeric' : '2-digit' }).padStart(2, '0'),
  );
  const weekday = part({ weekday: 'long' });
  const time = part({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const date = part({ day: 'numeric', month: 'long', year: 'numeric' });
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
