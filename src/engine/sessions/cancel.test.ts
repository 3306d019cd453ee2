import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../test/helpers/http-api.ts';
import { openObserver } from '../../../test/helpers/observer.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { createTransaction } from '../store/database.ts';
import { renewLease } from '../store/sessions.ts';
import { cancelSession, cancelSessions } from './cancel.ts';

const SOMEBODY = { name: 'ana', via: 'NONE', address: null };
const LEASE_MS = 60_000;

let database: TestDatabase;
let pool: pg.Pool;
let deps: Parameters<typeof cancelSession>[0];
/** Number of times that free slots were given away. */
let dispatched: number;
/** Stages of the questions whose answers were queued. */
const answers: string[] = [];
beforeEach(() => {
  dispatched = 0;
  answers.length = 0;
});
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  deps = {
    db: pool,
    transaction: createTransaction(pool, { publish: async () => {} }),
    async dispatch() {
      dispatched += 1;
    },
    offerSlot: async () => {},
    notifySlack: async () => {},
    enqueueAnswer: async (_, stageId) => void answers.push(stageId),
    observer: await openObserver(pool),
    masking: { maskChat: (text) => text.replace('hunter2', '***') },
  };
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Inserts a session with a live lease. */
const held = (status: string) =>
  insertSession(pool, {
    status,
    attempt: 1,
    worker_id: 'w',
    lease_expires_at: new Date(Date.now() + LEASE_MS),
  });
const cancel = (id: string) => cancelSession(deps, id, SOMEBODY, { only: null, reason: null });
/** Returns the result of the next heartbeat, which reports a cancellation whose notification was missed. */
const heartbeat = (sessionId: string, attempt = 1) => renewLease(pool, { sessionId, attempt }, LEASE_MS);

test('reports the cancellation of a run when its lease is renewed', async () => {
  const [id, other] = [await held('IN_PROGRESS'), await held('IN_PROGRESS')];
  expect(await heartbeat(id)).toMatchObject({ cancel: false });
  expect(await cancel(id)).toMatchObject({ status: 'CANCELLING' });
  expect(await heartbeat(id)).toMatchObject({ cancel: true });
  expect(await heartbeat(other)).toMatchObject({ cancel: false });
  expect(await cancel(id)).toMatchObject({ status: 'CANCELLING' }); // asking twice is no error
});

test('reports the cancellation of an answer when its lease is renewed', async () => {
  const sessionId = await held('COMPLETED');
  const chat = await insertRow(pool, 'chats', { session_id: sessionId, created_by: 'ana' });
  const question = await insertRow(pool, 'chat_user_messages', {
    chat_id: chat,
    author: 'ana',
    content: 'Why?',
  });
  const stage = await insertRow(pool, 'stages', {
    session_id: sessionId,
    name: 'Chat',
    index: 1,
    type: 'CHAT',
    status: 'ACTIVE',
    expected_agent_count: 1,
    chat_message_id: question,
  });
  expect(await heartbeat(sessionId)).toMatchObject({ cancel: false });
  expect(await cancel(sessionId)).toMatchObject({ status: 'COMPLETED' });
  expect(answers).toEqual([stage]); // an answer that waits for an approval has no worker to end it
  expect(await heartbeat(sessionId)).toMatchObject({ cancel: true });
});

const audited = async () =>
  (await pool.query(`select target_id from audit_events where action = 'session.cancel' order by id`)).rows;

test('records a cancellation once, and keeps its first reason', async () => {
  const id = await held('IN_PROGRESS');
  const before = (await audited()).length;
  for (const reason of ['it is a test', 'another reason'])
    await cancelSession(deps, id, SOMEBODY, { only: null, reason });
  expect((await audited()).length - before).toBe(1);
  const { rows } = await pool.query('select cancel_reason from alert_sessions where id = $1', [id]);
  expect(rows).toEqual([{ cancel_reason: 'it is a test' }]);
});

test('gives the slot of a session that has not begun away at once', async () => {
  const id = await insertSession(pool, { status: 'PENDING', dispatched_at: new Date() });
  expect(await cancel(id)).toMatchObject({ status: 'CANCELLED' });
  expect(dispatched).toBe(1);
});

test('of several sessions cancels the waiting ones first, because a slot may become free for them', async () => {
  const running = await held('IN_PROGRESS');
  const waiting = await insertSession(pool, { status: 'PENDING' });
  const results = await cancelSessions(deps, [running, waiting], SOMEBODY, null);
  expect(results).toMatchObject([{ status: 'CANCELLING' }, { status: 'CANCELLED' }]);
  expect((await audited()).slice(-2)).toEqual([{ target_id: waiting }, { target_id: running }]);
});

test('reports only the loss of the lease to a fenced run', async () => {
  const id = await held('IN_PROGRESS');
  await pool.query('update alert_sessions set attempt = 2 where id = $1', [id]);
  expect(await heartbeat(id)).toBeNull();
  expect(await heartbeat(id, 2)).toMatchObject({ cancel: false });
});
