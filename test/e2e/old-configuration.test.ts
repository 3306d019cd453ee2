import { expect, onTestFinished, test } from 'vitest';
import { startTestApp } from '../helpers/app.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { insertRow } from '../helpers/http-api.ts';
import { createTestDatabase } from '../helpers/postgres.ts';

/** Creates a database that outlives the processes of a test. */
async function openDatabase() {
  const database = await createTestDatabase();
  const pool = openTestPool(database.url);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  return { database, pool };
}

test('a process deletes the warnings of earlier processes about what is not configured or works again', {
  timeout: 120_000,
}, async () => {
  const { database, pool } = await openDatabase();
  for (const [category, key] of [
    ['schedules', 'nightly'], // works in the first round
    ['schedules', 'removed'],
    ['notifications', 'hook'],
    ['notifications', 'removed'],
    ['notifications_disabled', 'hook'],
    ['notifications_disabled', 'removed'],
    ['slack', ''],
    ['slack', 'setup'],
    ['slack', 'socket'],
    ['runbooks', ''],
    ['canary', '["canary",null]'],
    ['read_replica', ''],
    ['event_bus', ''],
  ])
    await insertRow(pool, 'system_warnings', { category, key, message: 'It is away.' });

  const app = await startTestApp({
    database,
    schedules: { nightly: { text: 'Check the disks.', cron: '0 3 * * *' } },
    notifications: {
      channels: { hook: { kind: 'webhook', url: 'https://hook.example', secrets_env: ['SECRET'] } },
      rules: [{ events: ['session.ended'], channels: ['hook'] }],
    },
    env: { SECRET: `whsec_${Buffer.alloc(32, 3).toString('base64')}` },
  });
  onTestFinished(() => app.stop());
  const left = async () =>
    (await pool.query('select category, key from system_warnings order by 1, 2')).rows.map(
      ({ category, key }) => `${category} ${key}`,
    );
  await expect.poll(left).toEqual(['notifications hook', 'notifications_disabled hook']);
});

test('a process without channels ends the deliveries to channels of an earlier configuration', {
  timeout: 120_000,
}, async () => {
  const { database, pool } = await openDatabase();
  const yesterday = new Date(Date.now() - 26 * 3_600_000);
  await insertRow(pool, 'notification_deliveries', {
    ...{ channel: 'removed', kind: 'webhook', status: 'PENDING', event: 'budget.reached', event_key: 'b' },
    ...{ notice: '{}', queued_at: yesterday, due_at: yesterday },
  });
  const app = await startTestApp({ database });
  onTestFinished(() => app.stop());
  const read = async () => (await pool.query('select status, last_error from notification_deliveries')).rows;
  await expect
    .poll(read)
    .toEqual([{ status: 'FAILED', last_error: 'No process has the channel in its configuration.' }]);
});
