import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../test/helpers/http-api.ts';
import { openObserver } from '../../../test/helpers/observer.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { createTransaction } from '../store/database.ts';
import { renewLease } from '../store/sessions.ts';
import { cancelSession } from './cancel.ts';

const SOMEBODY = { name: 'ana', via: 'NONE', address: null };
const LEASE_MS = 60_000;

let database: TestDatabase;
let pool: pg.Pool;
let deps: Parameters<typeof cancelSession>[0];
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  deps = {
    db: pool,
    transaction: createTransaction(pool, { publish: async () => {} }),
    dispatch: async () => {},
    offerSlot: async () => {},
    notifySlack: async () => {},
    enqueueAnswer: async () => {},
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
  await insertRow(pool, 'stages', {
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
  expect(await heartbeat(sessionId)).toMatchObject({ cancel: true });
});

test('reports only the loss of the lease to a fenced run', async () => {
  const id = await held('IN_PROGRESS');
  await pool.query('update alert_sessions set attempt = 2 where id = $1', [id]);
  expect(await heartbeat(id)).toBeNull();
  expect(await heartbeat(id, 2)).toMatchObject({ cancel: false });
});
