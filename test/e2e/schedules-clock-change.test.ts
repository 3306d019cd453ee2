import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/postgres.ts';

vi.setConfig({ testTimeout: 180_000 });

/** Two API processes share schedules while the clock passes a change. No worker runs; the test ends the sessions. */
let database: TestDatabase;
let sql: pg.Pool;
const apps: TestApp[] = [];
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.stop()));
  vi.useRealTimers();
  await sql.end();
  await database.drop();
});

const SCHEDULES = {
  nightly: { text: 'Check the night.', cron: '30 2 * * *', time_zone: 'Europe/Berlin' },
  // A run in a minute shows that the checks of that minute took place, because this schedule is checked last.
  minute: { text: 'Check the minute.', cron: '* * * * *' },
};

async function startBoth(): Promise<void> {
  for (let n = 0; n < 2; n += 1)
    apps.push(await startTestApp({ role: 'api', schedules: SCHEDULES, database }));
}

/** Sets the clock of the processes, and waits until their next round of checks has ended. */
async function passTo(time: string): Promise<void> {
  await sql.query(`update alert_sessions set status = 'CANCELLED', completed_at = now()`);
  vi.setSystemTime(new Date(time));
  const rounds = `select 1 from schedule_runs where schedule = 'minute' and due_at = date_trunc('minute', $1::timestamptz)`;
  await vi.waitFor(async () => expect((await sql.query(rounds, [time])).rowCount).toBe(1), {
    timeout: 60_000,
  });
}

async function nightlyRuns(): Promise<string[]> {
  const { rows } = await sql.query<{ at: Date }>(
    `select due_at as at from schedule_runs where schedule = 'nightly' and session_id is not null order by due_at`,
  );
  return rows.map(({ at }) => at.toISOString());
}

test.each([
  {
    change: 'the hour that autumn repeats',
    begin: '2026-10-25T00:10:05Z',
    moments: ['2026-10-25T00:30:05Z', '2026-10-25T01:30:05Z', '2026-10-26T01:30:05Z'],
    runs: ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
  },
  {
    change: 'the hour that spring skips',
    begin: '2026-03-29T00:10:05Z',
    moments: ['2026-03-29T00:30:05Z', '2026-03-29T01:00:05Z', '2026-03-30T00:30:05Z'],
    runs: ['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
  },
])('$change has one run, of two processes and over a restart', async ({ begin, moments, runs }) => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(begin) });
  database = await createTestDatabase();
  sql = new pg.Pool({ connectionString: database.url, max: 2 });
  await startBoth();
  await passTo(begin);
  await passTo(moments[0]!);
  await Promise.all(apps.splice(0).map((app) => app.stop()));
  await startBoth();
  for (const moment of moments.slice(1)) await passTo(moment);
  expect(await nightlyRuns()).toEqual(runs);
});
