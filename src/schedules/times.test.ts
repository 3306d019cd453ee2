import { expect, it } from 'vitest';
import { latestTime, nextTime, startOf } from './times.ts';

const BERLIN = { name: 'check', cron: '30 2 * * *', timeZone: 'Europe/Berlin', jitterMs: 0 };
const at = (text: string) => new Date(text);

/** Returns the latest times that a process sees if it looks every 5 minutes. */
function timesBetween(schedule: typeof BERLIN, from: string, to: string): string[] {
  const seen = new Set<string>();
  for (let now = at(from).getTime(); now <= at(to).getTime(); now += 300_000)
    seen.add(latestTime(schedule, new Date(now))!.toISOString());
  return [...seen];
}

it('a time that the clock change in spring skips comes once, at the change', () => {
  expect(timesBetween(BERLIN, '2026-03-28T02:00:00Z', '2026-03-30T02:00:00Z')).toEqual([
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

it('a time that the clock change in autumn repeats comes once', () => {
  expect(timesBetween(BERLIN, '2026-10-24T01:00:00Z', '2026-10-26T02:00:00Z')).toEqual([
    '2026-10-24T00:30:00.000Z',
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
});

it.each(['2026-03-29T00:00:00Z', '2026-10-25T00:00:00Z'])(
  'each hour around the clock change of %s comes once',
  (from) => {
    const hourly = { ...BERLIN, cron: '0 * * * *' };
    const to = new Date(at(from).getTime() + 6 * 3_600_000).toISOString();
    const times = timesBetween(hourly, from, to).map((time) => at(time).getTime());
    expect(times.slice(1).map((time, index) => time - times[index]!)).toEqual(
      times.slice(1).map(() => 3_600_000),
    );
  },
);

it('a schedule without times has neither a latest nor a next one', () => {
  const none = { ...BERLIN, cron: null };
  expect([latestTime(none, at('2026-01-01')), nextTime(none, at('2026-01-01'))]).toEqual([null, null]);
});

it('the delay is the same in every process, and at most the configured one', () => {
  const schedule = { ...BERLIN, jitterMs: 600_000 };
  const days = Array.from({ length: 50 }, (_, day) => new Date(Date.UTC(2026, 5, 1 + day, 0, 30)));
  const delays = days.map((day) => startOf(schedule, day).getTime() - day.getTime());
  expect(days.map((day) => startOf({ ...schedule }, day).getTime() - day.getTime())).toEqual(delays);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...delays)).toBeLessThanOrEqual(600_000);
  expect(new Set(delays).size).toBeGreaterThan(40);
});

it('the next time is that of a run that waits for its delay', () => {
  const schedule = { ...BERLIN, jitterMs: 600_000 };
  const time = at('2026-06-10T00:30:00Z');
  const start = startOf(schedule, time);
  expect(nextTime(schedule, new Date(start.getTime() - 1))).toEqual(start);
  expect(nextTime(schedule, start)!.getTime()).toBeGreaterThan(start.getTime());
});

it('each time starts before the next one, however long the delay may be', () => {
  const schedule = { ...BERLIN, cron: '*/15 * * * *', jitterMs: 3_600_000 };
  const times = Array.from({ length: 50 }, (_, index) => Date.UTC(2026, 5, 1, 0, 15 * index));
  const delays = times.map((time) => startOf(schedule, new Date(time)).getTime() - time);
  expect(Math.max(...delays)).toBeLessThanOrEqual(450_000);
  expect(Math.max(...delays)).toBeGreaterThan(300_000);
});
