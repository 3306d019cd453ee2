import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow } from '../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../test/helpers/postgres.ts';
import { readStates } from './store.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

test('the last delivery of a source is the last one with an alert', async () => {
  const deliver = (source: string, minute: number, alerts: number) =>
    insertRow(pool, 'intake_deliveries', { source, received_at: new Date(minute * 60_000), alerts });
  await deliver('deployments', 1, 1);
  await deliver('deployments', 2, 0); // such as a deployment that is still under way
  await deliver('other', 3, 1);
  const schedule = { name: 'deployed', cron: null, timeZone: 'UTC', after: 'deployments' };
  const states = await readStates(pool, [schedule as never]);
  expect(states.get('deployed')).toMatchObject({ afterAt: null, receivedAt: new Date(60_000) });
});
