import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../test/helpers/app.ts';
import {
  alertBody,
  emptyIntake,
  intakeConfig,
  openTestPool,
  sendDelivery,
} from '../../test/helpers/deliveries.ts';

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  const rules = [{ name: 'patient', match: ['wait="yes"'], group_wait: '1h' }];
  const storm = { groups: 1, within: '5m', wait: '1h' };
  app = await startTestApp({ intake: intakeConfig({ rules, storm }) });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyIntake(pool));

const fire = (fingerprint: string, severity: string, group = 'g') =>
  sendDelivery(app.url, alertBody({ fingerprint, severity, group, labels: { wait: 'yes' } }));
const statusOf = async (session: string | null | undefined) =>
  (await pool.query<{ status: string }>('select status from alert_sessions where id = $1', [session])).rows[0]
    ?.status;

it('ends when the group becomes critical', async () => {
  const { session } = await fire('a', 'error');
  await fire('b', 'warning');
  expect(await statusOf(session)).toBe('PENDING');
  expect((await fire('c', 'critical')).outcome).toBe('JOINED');
  await expect.poll(() => statusOf(session)).not.toBe('PENDING');
});

it('lasts as long as configured for a storm, even if its worst alert is critical', async () => {
  await fire('a', 'error');
  const storm = await fire('b', 'error', 'second');
  const joined = await fire('c', 'critical', 'third');
  expect([storm.outcome, joined.outcome]).toEqual(['STORM', 'STORM']);
  const titled = async () =>
    (await pool.query(`select 1 from alert_sessions where severity = 'CRITICAL'`)).rowCount;
  await expect.poll(titled, { timeout: 20_000 }).toBe(1); // after an upkeep
  expect(await statusOf(joined.session)).toBe('PENDING');
  const { rowCount } = await pool.query(
    `select 1 from alert_sessions where id = $1 and run_at > now() + interval '50 minutes'`,
    [joined.session],
  );
  expect(rowCount).toBe(1);
});
