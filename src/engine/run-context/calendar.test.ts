import { expect, test } from 'vitest';
import { writeConfig } from '../../../test/helpers/config.ts';
import { loadConfig } from '../../config/load.ts';
import { type Calendar, calendarLine } from './investigation-prompt.ts';

const PRAGUE: Calendar = {
  timeZone: 'Europe/Prague',
  weekend: ['saturday', 'sunday'],
  holidays: ['01-01 New Year', '2026-04-03 Good Friday', '12-26'],
};
const line = (at: string, calendar: Partial<Calendar> = {}) =>
  calendarLine(new Date(at), { ...PRAGUE, ...calendar });

test('uses the day of the operators, not of UTC', () => {
  expect(line('2026-11-23T09:20:00Z')).toBe(
    'Local time of the operators (Europe/Prague): Monday, 23 November 2026, 10:20, a working day.',
  );
  expect(line('2026-12-31T23:30:00Z')).toContain('1 January 2027, 00:30, a public holiday (New Year).');
  expect(line('2026-12-31T22:30:00Z')).toContain('Thursday, 31 December 2026, 23:30, a working day.');
  expect(line('2026-07-04T00:10:00Z', { timeZone: 'America/New_York' })).toContain(
    'Friday, 3 July 2026, 20:10, a working day',
  );
});

test('prefers a holiday, yearly or of one year, to the configured weekend', () => {
  expect(line('2026-12-26T10:00:00Z')).toContain(', a public holiday. Staff and traffic');
  expect(line('2026-04-03T10:00:00Z')).toContain('(Good Friday)');
  expect(line('2027-04-03T10:00:00Z')).toContain(', a weekend.');
  expect(line('2026-11-27T10:00:00Z', { weekend: ['friday'] })).toContain(', a weekend.');
  expect(line('2026-11-28T10:00:00Z', { weekend: ['friday'] })).toContain(', a working day.');
});

test('refuses an invalid time zone and invalid days', async () => {
  const calendar = { time_zone: 'Mars/Base', holidays: ['02-30', 'Christmas', '12-24 Eve'] };
  const dir = await writeConfig({ system: { calendar } });
  const error = await loadConfig({ dir, env: {} }).catch((reason: Error) => reason);
  expect(String((error as Error).message)).toMatch(/time_zone: expected a time zone/);
  expect(String((error as Error).message)).toMatch(/holidays\S*: there is no such day/);
  expect(String((error as Error).message)).toMatch(/holidays\S*: expected a day such as/);
});
