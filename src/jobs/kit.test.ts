import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/helpers/postgres.ts';
import { wake, wokenTask } from './kit.ts';

test('wake names the task on the channel of the queue', async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const heard: (string | null)[] = [];
    client.on('notification', ({ payload }) => heard.push(wokenTask(payload)));
    await client.query('listen "jobs:insert"');
    await client.query(`select graphile_worker.add_job('learn')`);
    await client.query(`select ${wake('learn')}`);
    await client.query('select 1');
    expect(heard).toEqual([null, 'learn']);
  } finally {
    await client.end();
    await database.drop();
  }
});
