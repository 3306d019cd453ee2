import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { recordRun } from './schedule-runs.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

test('records a run once, and keeps the latest 200 of a schedule', async () => {
  const run = (schedule: string, minute: number) =>
    recordRun(pool, {
      ...{ schedule, cause: 'CRON', basis: '* * * * * UTC', sessionId: null },
      dueAt: new Date(minute * 60_000),
    });
  expect(await run('other', 0)).toBe(true);
  for (let minute = 0; minute < 203; minute += 1) expect(await run('ours', minute)).toBe(true);
  expect(await run('ours', 202)).toBe(false);
  const { rows } = await pool.query(
    'select schedule, count(*)::int as runs, min(due_at) as first from schedule_runs group by schedule order by 2',
  );
  expect(rows).toEqual([
    { schedule: 'other', runs: 1, first: new Date(0) },
    { schedule: 'ours', runs: 200, first: new Date(3 * 60_000) },
  ]);
});
