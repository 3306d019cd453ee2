import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { openQueuePool, removeFailedJobs } from './queue-pool.ts';

const logger = pino({ level: 'silent' });
let database: TestDatabase;
let queue: ReturnType<typeof openQueuePool>;
beforeAll(async () => {
  database = await createTestDatabase();
  queue = openQueuePool(database.url, { application: 'test', logger });
});
afterAll(async () => {
  await queue.end();
  await database.drop();
});

test('leaves a request for a connection open after its end, because an error would end the process', async () => {
  const ended = openQueuePool(database.url, { application: 'test', logger });
  await ended.end();
  const settled = ended.connect().then(
    () => 'connected',
    () => 'refused',
  );
  // A refusal would come at once, before the next turn of the event loop.
  expect(await Promise.race([settled, setImmediate('open')])).toBe('open');
});

test('removes jobs that failed for the last time, and no other', async () => {
  for (const key of ['waits', 'runs', 'failed once', 'failed', 'runs for the last time'])
    await queue.query(`select graphile_worker.add_job('test', job_key := $1, max_attempts := 2)`, [key]);
  await queue.query(
    `update graphile_worker._private_jobs set
       attempts = case when key = 'failed once' then 1 when key in ('failed', 'runs for the last time') then 2 else 0 end,
       locked_at = case when key like 'runs%' then now() end`,
  );
  await removeFailedJobs(queue, logger);
  const { rows } = await queue.query('select key from graphile_worker.jobs order by key');
  expect(rows.map(({ key }) => key)).toEqual(['failed once', 'runs', 'runs for the last time', 'waits']);
});
