import { z } from 'zod';
import { settings } from './settings.ts';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const timeZone = z
  .string()
  .refine(isTimeZone, 'expected a time zone such as UTC or Europe/Prague')
  .describe('Where the people who work with the systems are')
  .prefault('UTC');

const holiday = z
  .string()
  .regex(
    /^(?:\d{4}-)?\d{2}-\d{2}(?: \S.{0,79})?$/,
    'expected a day such as "12-25 Christmas Day" or "2026-04-03"',
  )
  .refine((text) => isDay(text.split(' ', 1)[0]!), 'there is no such day');

/** When people work: agents are told, since traffic and staff differ. */
export const calendarSchema = settings(
  z
    .strictObject({
      time_zone: timeZone,
      weekend: z
        .array(z.enum(DAYS))
        .describe('Days of the week on which few people work')
        .prefault(['saturday', 'sunday']),
      holidays: z
        .array(holiday)
        .max(400)
        .describe(
          'Days on which few people work, each year (MM-DD) or once (YYYY-MM-DD), with or without a name',
        )
        .prefault(['01-01 New Year’s Day', '12-25 Christmas Day']),
    })
    .describe('What agents are told of the day'),
);

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** 29 February is one, of each year. */
function isDay(text: string): boolean {
  const date = text.length === 5 ? `2024-${text}` : text;
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}
