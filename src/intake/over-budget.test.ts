import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
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
  app = await startTestApp({
    role: 'api',
    intake: intakeConfig({ storm: { groups: 2, within: '1h', wait: '0s' } }),
    budgets: {
      daily: { per: 'day', limit_usd: 10, degrade: ['conclude', 'queue'] },
      elsewhere: { scope: 'source', only: ['another'], limit_usd: 0.01, degrade: ['queue'] },
    },
  });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyIntake(pool));

const used = (usd: number) =>
  pool.query(
    `insert into budget_uses (name, key, period, per, used_usd)
     select 'daily', '', (now() at time zone 'UTC')::date + n, 'day', $1 from generate_series(0, 1) n -- today, and after midnight
     on conflict (name, key, period, per) do update set used_usd = excluded.used_usd`,
    [usd],
  );
const decisions = async () =>
  (await pool.query('select outcome, reason from intake_decisions order by at, id')).rows;

test('stores an alert over budget, and investigates it without a further delivery once the budget has room', async () => {
  await used(11);
  await sendDelivery(app.url, alertBody());
  expect(await decisions()).toEqual([
    {
      outcome: 'OVER_BUDGET',
      reason: expect.stringMatching(
        /^The budget daily has used \$11\.00 of \$10\.00 \(110 %\) today\. The budget resets at \d{4}-\d\d-\d\d 00:00 UTC\.$/,
      ),
    },
  ]);
  expect((await pool.query('select 1 from alert_sessions')).rows).toEqual([]);
  expect((await pool.query('select last_outcome, investigated_at from alert_groups')).rows).toEqual([
    { last_outcome: 'OVER_BUDGET', investigated_at: null },
  ]);
  await sendDelivery(app.url, alertBody()); // refused again
  await used(10.9); // below 110 %: agents conclude, but no session is queued
  await expect.poll(async () => (await decisions()).length, { timeout: 20_000 }).toBe(3);
  expect((await decisions()).slice(1)).toEqual([
    { outcome: 'OVER_BUDGET', reason: expect.any(String) },
    {
      outcome: 'INVESTIGATED',
      reason: 'The budget is available again. 1 firing alert, severity critical. First investigation.',
    },
  ]);
});

test('a storm comes before a used up budget: its groups join one session, which waits', async () => {
  await used(0);
  const fire = async (n: number) =>
    (await sendDelivery(app.url, alertBody({ fingerprint: `f${n}`, group: `g${n}` }))).outcome;
  expect([await fire(1)]).toEqual(['INVESTIGATED']);
  await used(11);
  expect(await fire(2)).toBe('OVER_BUDGET'); // no storm yet
  await used(0);
  expect(await fire(3)).toBe('INVESTIGATED');
  await used(11);
  expect([await fire(4), await fire(5)]).toEqual(['STORM', 'STORM']);
  const storms = 'select status from alert_sessions where group_id is null';
  expect((await pool.query(storms)).rows).toEqual([{ status: 'PENDING' }]);
});
