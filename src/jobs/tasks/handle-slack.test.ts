import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { insertRow } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import { createRequestStore, enqueueRequest, renewRequests } from './handle-slack.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterEach(async () => {
  await pool.query('truncate slack_requests');
  await pool.query('delete from graphile_worker._private_jobs');
});
afterAll(() => pool.drop());

const request = (row: Record<string, unknown>) =>
  insertRow(pool, 'slack_requests', { key: uuidv7(), ...row });
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000);

async function jobs(): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>('select key from graphile_worker.jobs order by id');
  return rows.map(({ key }) => key);
}

test('a request that Slack delivers twice is stored once, with one job', async () => {
  const store = createRequestStore(pool);
  const [first, second] = [uuidv7(), uuidv7()];
  expect(await store({ id: first, key: 'event-1', content: {} as never })).toBe(true);
  expect(await store({ id: second, key: 'event-1', content: {} as never })).toBe(false);
  expect(await jobs()).toEqual([`handle-slack:${first}`]);
});

test('a request whose attempt is overdue gets another job, one that has ended or waits does not', async () => {
  const overdue = await request({ due_at: secondsAgo(60) });
  await request({ due_at: secondsAgo(1) });
  await request({ due_at: secondsAgo(60), status: 'DONE' });
  await renewRequests(pool);
  expect(await jobs()).toEqual([`handle-slack:${overdue}`]);
});

test('a request that has ended gets no job', async () => {
  const [waiting, done] = [await request({}), await request({ status: 'DONE' })];
  for (const id of [waiting, done]) await enqueueRequest(pool, id);
  expect(await jobs()).toEqual([`handle-slack:${waiting}`]);
});
