import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { beginRun } from '../../../test/helpers/run-log.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Notice } from '../live/notices.ts';
import { createTransaction } from './database.ts';
import { writeSession } from './event-statement.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

test('publishes the events of a transaction after its commit, and none of a rolled back one', async () => {
  const { fence } = await beginRun(pool);
  const author = async () =>
    (await pool.query('select author from alert_sessions where id = $1', [fence.sessionId])).rows[0].author;
  /** The notices, and what their receiver then finds in the database. */
  const heard: { announcement: Notice; author: Promise<string> }[] = [];
  const publish = async (notices: readonly Notice[]) =>
    void heard.push(...notices.map((announcement) => ({ announcement, author: author() })));
  const transaction = createTransaction(pool, { publish });
  const write = (tx: Queryable, name: string) =>
    writeSession(tx, fence.sessionId, { guard: 'true', assign: 'author = $2', values: [name] });
  await expect(
    transaction(async (tx) => {
      await write(tx, 'nobody');
      throw new Error('changed its mind');
    }),
  ).rejects.toThrow('changed its mind');
  await transaction(async (tx) => {
    await write(tx, 'somebody');
    await write(tx, 'somebody else');
  });
  expect(heard.map(({ announcement }) => announcement)).toEqual(
    [1, 2].map((seq) => ({
      channel: 'tarsy_event',
      payload: `${fence.sessionId}:${seq}:SessionStatusChanged`,
    })),
  );
  expect(await Promise.all(heard.map((each) => each.author))).toEqual(['somebody else', 'somebody else']);
});
