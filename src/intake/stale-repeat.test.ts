import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../test/helpers/app.ts';
import {
  alertBody,
  intakeConfig,
  openTestPool,
  passTime,
  sendDelivery,
} from '../../test/helpers/deliveries.ts';

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  app = await startTestApp({ role: 'api', intake: intakeConfig({ stale_after: '1m' }) });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});

it('takes a repeated alert of a group that was closed as stale, although the alert began before that', async () => {
  const began = Date.now() - 3_600_000;
  const firing = (passed = 0) => alertBody({ starts_at: new Date(began - passed * 1_000).toISOString() });
  await sendDelivery(app.url, firing());
  await passTime(pool, 90); // less than the time within which reports may arrive late
  const groups = async () => (await pool.query('select state, is_stale from alert_groups')).rows;
  await expect.poll(groups, { timeout: 20_000 }).toEqual([{ state: 'RESOLVED', is_stale: true }]);
  const { rows } = await pool.query('select state, ends_at from alerts');
  expect(rows).toEqual([{ state: 'RESOLVED', ends_at: null }]); // no end was reported
  expect((await sendDelivery(app.url, firing(90))).outcome).not.toBe('DUPLICATE');
  expect(await groups()).toContainEqual({ state: 'FIRING', is_stale: false });
}, 60_000);
