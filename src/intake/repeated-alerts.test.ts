import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../test/helpers/app.ts';
import {
  emptyIntake,
  endSession,
  openTestPool,
  passTime,
  SOURCE_TOKEN,
  sendDelivery,
} from '../../test/helpers/deliveries.ts';

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  app = await startTestApp({
    role: 'api',
    intake: {
      sources: {
        prod: { type: 'generic', tokens: [SOURCE_TOKEN] },
        am: { type: 'alertmanager', tokens: [SOURCE_TOKEN] },
      },
    },
  });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyIntake(pool));

/** Returns a sender that repeats one alert with an unchanged start, as Alertmanager does. */
function sender() {
  let begun = Date.now();
  const tell = async (status: 'firing' | 'resolved') => {
    const startsAt = new Date(begun).toISOString();
    const endsAt = status === 'firing' ? '0001-01-01T00:00:00Z' : new Date().toISOString();
    const labels = { alertname: 'DiskFull', severity: 'critical' };
    const alert = { status, labels, annotations: {}, startsAt, endsAt, fingerprint: 'abcd' };
    return (await sendDelivery(app.url, { groupKey: '{}:{}', alerts: [alert] }, { source: 'am' })).outcome;
  };
  const pass = async (seconds: number) => {
    await passTime(pool, seconds);
    begun -= seconds * 1000;
  };
  return { tell, pass };
}

it('investigates a resolved alert that fires again with its old start, at any time after its end', async () => {
  const { tell, pass } = sender();
  for (const seconds of [0, 100, 300]) {
    await pass(600);
    expect(await tell('firing')).toBe('INVESTIGATED');
    await pass(30);
    expect(await tell('resolved')).toBe('RESOLVED');
    await pass(seconds);
    expect(await tell('firing')).toBe('INVESTIGATED');
    expect(await tell('firing')).toBe('DUPLICATE');
    await tell('resolved');
    await pass(1_900);
  }
  expect((await pool.query('select deliveries::int from alerts')).rows).toEqual([{ deliveries: 15 }]);
});

it.each([
  ['start', {}],
  ['episode', { episode: 'e1' }],
])('investigates a stale alert that fires again with its old %s', async (_, more) => {
  const starts_at = new Date(Date.now() - 60_000).toISOString();
  const fire = () =>
    sendDelivery(app.url, {
      title: 'Disk full',
      severity: 'critical',
      fingerprint: 'disk',
      starts_at,
      ...more,
    });
  await endSession(pool, (await fire()).session!);
  await passTime(pool, 25 * 3600);
  await pool.query('update alerts set sent_starts_at = $1', [starts_at]); // the start that the source keeps sending
  await expect
    .poll(async () => (await pool.query('select is_stale from alert_groups')).rows, { timeout: 20_000 })
    .toEqual([{ is_stale: true }]);
  expect((await fire()).outcome).toBe('INVESTIGATED');
});
