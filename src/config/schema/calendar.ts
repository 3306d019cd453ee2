import { z } from 'zod';
import { list, matching } from './common.ts';
import { mapping } from './settings.ts';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

export const timeZone = z
  .string()
  .refine(isTimeZone, 'expected a time zone such as UTC or Europe/Prague')
  .prefault('UTC');

const holiday = matching(
  /^(?:\d{4}-)?\d{2}-\d{2}(?: \S.{0,79})?$/,
  'expected a day such as "12-25 Christmas Day" or "2026-04-03"',
).refine((text) => isDay(text.split(' ', 1)[0]!), 'there is no such day');

/** Working calendar. Agents get it because traffic and staffing differ on weekends and holidays. */
export const calendarSchema = mapping({
  time_zone: timeZone.describe('Time zone of the staff who operate the systems'),
  weekend: list(z.enum(DAYS), 'Days of the week with reduced staff').prefault(['saturday', 'sunday']),
  holidays: list(
    holiday,
    'Holidays, each year (MM-DD) or once (YYYY-MM-DD), with an optional name after a space',
  )
    .max(400)
    .prefault(['01-01 New Year’s Day', '12-25 Christmas Day']),
}).describe('Working calendar that agents are told about');

function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true; // without loading the data of time zones at each start
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** True for a valid day with or without a year; 02-29 is valid without a year. */
function isDay(text: string): boolean {
  const date = text.length === 5 ? `2024-${text}` : text;
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}
