import { expect, onTestFinished, test } from 'vitest';
import { startTestApp } from '../helpers/app.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { insertRow } from '../helpers/http-api.ts';
import { createTestDatabase } from '../helpers/postgres.ts';

test('a process deletes the warnings of earlier processes about what is not configured or works again', {
  timeout: 120_000,
}, async () => {
  const database = await createTestDatabase();
  const pool = openTestPool(database.url);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
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
