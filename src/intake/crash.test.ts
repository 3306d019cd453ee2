import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../test/helpers/app.ts';
import {
  alertBody,
  emptyTables,
  intakeConfig,
  openTestPool,
  sendDelivery,
} from '../../test/helpers/deliveries.ts';

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  app = await startTestApp({ role: 'api', intake: intakeConfig() });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});

const TABLES = [
  'intake_deliveries',
  'alert_groups',
  'alerts',
  'alert_sessions',
  'session_events',
  'intake_decisions',
] as const;
const BODY = [alertBody(), alertBody({ fingerprint: 'cpu', title: 'CPU' })];

/** Returns the number of rows of each table. Ids and times are not compared, because they differ between deliveries. */
async function stored(): Promise<Record<string, number>> {
  const counts = await Promise.all(
    TABLES.map(async (table) => [table, (await pool.query(`select 1 from ${table}`)).rows.length] as const),
  );
  return Object.fromEntries(counts);
}

const clear = () => emptyTables(pool, TABLES.join(', '));

/** Makes the database end the connection right after its write to the table, as if the writing process were killed. */
async function cutAfterWriteTo(table: string, action: 'insert' | 'update'): Promise<void> {
  await pool.query(`create or replace function cut() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`);
  await pool.query(
    `create trigger cut after ${action} on ${table} for each statement execute function cut()`,
  );
}

it.each([...TABLES.map((table) => [table, 'insert'] as const), ['alert_groups', 'update'] as const])(
  'stores nothing of a delivery interrupted after its write to %s (%s), and all of its repetition',
  async (table, action) => {
    await clear();
    await sendDelivery(app.url, BODY);
    const whole = await stored();
    await clear();
    await cutAfterWriteTo(table, action);
    try {
      const cut = await sendDelivery(app.url, BODY);
      expect([cut.status, cut.body.errors?.[0]?.extensions.code]).toEqual([503, 'NOT_STORED']);
      expect(Object.values(await stored()).every((count) => count === 0)).toBe(true);
    } finally {
      await pool.query(`drop trigger cut on ${table}`);
    }
    expect((await sendDelivery(app.url, BODY)).outcome).toBe('INVESTIGATED');
    expect(await stored()).toEqual(whole);
  },
);
