import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertSession } from '../../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import { changePost, claimPost, findSessionOfThread } from './posts.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

async function posted(session: Record<string, unknown> = {}, threadTs: string | null = null) {
  const id = await insertSession(pool, session);
  await pool.query(`insert into slack_posts (session_id, point, thread_ts) values ($1, 'TERMINAL', $2)`, [
    id,
    threadTs,
  ]);
  return id;
}

test('an attempt that another one has superseded changes nothing', async () => {
  const id = await posted();
  const first = await claimPost(pool, id, 'TERMINAL');
  expect(await claimPost(pool, id, 'TERMINAL')).toBeNull(); // its lease has not expired
  await pool.query('update slack_posts set due_at = now() where session_id = $1', [id]);
  const second = await claimPost(pool, id, 'TERMINAL');
  expect([first?.attempts, second?.attempts]).toEqual([1, 2]);
  expect(await changePost(pool, first!, { status: 'FAILED', error: 'late' })).toBe(false);
  expect(await changePost(pool, second!, { status: 'POSTED', messageTs: '1.0' })).toBe(true);
  expect(await changePost(pool, second!, { status: 'FAILED' })).toBe(false); // it has ended
});

test('a thread belongs to its newest session that is not deleted', async () => {
  const at = (minute: number) => ({ created_at: new Date(Date.UTC(2026, 0, 1, 0, minute)) });
  const old = await posted(at(1), '5.0');
  expect(await findSessionOfThread(pool, '5.0')).toBe(old);
  const newer = await posted(at(2), '5.0');
  await posted({ ...at(3), deleted_at: new Date() }, '5.0');
  expect(await findSessionOfThread(pool, '5.0')).toBe(newer);
  expect(await findSessionOfThread(pool, '6.0')).toBeNull();
});

test('an attempt that Slack refused unread does not count', async () => {
  const id = await posted();
  for (const isUncounted of [true, true, false]) {
    const post = await claimPost(pool, id, 'TERMINAL');
    expect(post?.attempts).toBe(1);
    expect(await changePost(pool, post!, { dueInMs: 0, error: 'ratelimited', isUncounted })).toBe(true);
  }
  expect((await claimPost(pool, id, 'TERMINAL'))?.attempts).toBe(2);
});
