import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestPool, type TestPool } from '../test/helpers/postgres.ts';
import { removeOldAudit } from './audit.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

test('removes only old entries, in batches', async () => {
  await pool.query(`insert into audit_events (id, at, actor, action, via)
    select gen_random_uuid(), now() - make_interval(days => case when n <= 2500 then 31 else 29 end), 'ada', 'session.submit', 'NONE'
    from generate_series(1, 2600) n`);
  const removed: (number | null)[] = [];
  const watched = {
    async query<Row extends pg.QueryResultRow>(text: string | pg.QueryConfig, values?: unknown[]) {
      const result = await pool.query<Row>(text, values);
      removed.push(result.rowCount);
      return result;
    },
  };
  expect(await removeOldAudit(watched, 30)).toBe(2500);
  expect(removed).toEqual([1000, 1000, 500, 0]);
  expect((await pool.query('select count(*)::int from audit_events')).rows).toEqual([{ count: 100 }]);
});
