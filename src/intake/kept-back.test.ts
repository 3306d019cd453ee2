import { expect, it } from 'vitest';
import { alertBody, emptyIntake, passTime, sendDelivery } from '../../test/helpers/deliveries.ts';
import { intakeApi } from '../../test/helpers/intake-api.ts';

const api = intakeApi();

const fire = (more: Record<string, unknown> = {}) => sendDelivery(api.app.url, alertBody(more), {});
const rows = async (sql: string) => (await api.pool.query(sql)).rows;

async function silence(matchers: string[], seconds: number): Promise<void> {
  await api.pool.query(
    `insert into silences (id, matchers, comment, created_by, starts_at, ends_at)
     values (gen_random_uuid(), $1, 'known', 'ana', now() - interval '1 hour', now() + $2 * interval '1 second')`,
    [matchers, seconds],
  );
}

it('does not investigate a group while a rule excludes all its alerts', async () => {
  const quiet = await fire({ severity: 'info' });
  expect(quiet).toMatchObject({ outcome: 'EXCLUDED', session: null });
  expect(await rows('select rule from intake_decisions')).toEqual([{ rule: 'quiet' }]);
  expect((await fire({ severity: 'info' })).outcome).toBe('EXCLUDED');
  expect((await fire({ fingerprint: 'cpu' })).outcome).toBe('INVESTIGATED');
});

it('a silence covers a group if it covers all firing alerts, and only while it lasts', async () => {
  await silence(['host=~"db-.*"', 'source="prod"'], 600);
  const silenced = await fire();
  expect(silenced).toMatchObject({ outcome: 'SILENCED', session: null });
  expect(silenced.body.decisions![0]!.reason).toMatch(
    /^A silence covers the alert for another (?:10 min|9 min \d+ s)\.$/,
  );
  expect(await rows('select matched_count::int from silences')).toEqual([{ matched_count: 1 }]);
  expect((await fire({ fingerprint: 'web', labels: { host: 'web-1' } })).outcome).toBe('INVESTIGATED');
  await emptyIntake(api.pool, 'silences');
  expect((await fire()).outcome).toBe('SILENCED');
  await passTime(api.pool, 700);
  expect((await fire()).outcome).toBe('INVESTIGATED');
});

it('a silence covers nothing before it begins', async () => {
  await silence(['host="db-03"'], 600);
  await api.pool.query(`update silences set starts_at = now() + interval '5 minutes'`);
  expect((await fire()).outcome).toBe('INVESTIGATED');
});

it('the reason names the silence that ends first', async () => {
  await silence(['host="db-03"'], 7_200);
  await silence(['host="db-04"'], 600);
  const silenced = await sendDelivery(api.app.url, [
    alertBody(),
    alertBody({ fingerprint: 'cpu', labels: { host: 'db-04' } }),
  ]);
  expect(silenced.body.decisions![0]!.reason).toMatch(
    /^A silence covers all 2 alerts for another (?:10 min|9 min \d+ s)\.$/,
  );
});
