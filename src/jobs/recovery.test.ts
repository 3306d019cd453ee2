import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../test/helpers/http-api.ts';
import { openObserver } from '../../test/helpers/observer.ts';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import type { Queryable } from '../db/queryable.ts';
import { createTransaction } from '../engine/store/database.ts';
import { createDispatch, createOfferSlot } from './dispatch.ts';
import { startRecovery } from './recovery.ts';
import { enqueueAnswer, enqueueScore } from './tasks/row-tasks.ts';

const LONG = { timeout: 20_000, interval: 10 };
/** Lease duration (ms). Recovery polls twice within it. After an outage, no worker counts as lost for that time. */
const LEASE_MS = 200;
const logger = pino({ level: 'silent' });

let database: TestDatabase;
let pool: pg.Pool;
let recovery: { stop(): Promise<void> };
/** Number of further statements that find the database unreachable. */
let failing: number;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
});
beforeEach(() => {
  failing = 0;
});
afterEach(async () => {
  await recovery.stop();
  await pool.query('update alert_sessions set current_stage_id = null; truncate alert_sessions cascade');
  await pool.query('delete from graphile_worker._private_jobs');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function start(leaseDurationMs = LEASE_MS): Promise<void> {
  const db: Queryable = {
    query: (statement, values) =>
      failing-- > 0
        ? Promise.reject(new Error('the database is away'))
        : (pool.query(statement as string, values) as never),
  };
  recovery = startRecovery({
    db,
    transaction: createTransaction(pool, { publish: async () => {} }),
    dispatch: createDispatch({ maxConcurrentSessions: 5 }),
    offerSlot: createOfferSlot({ db, maxConcurrentSessions: 5 }),
    notifySlack: async () => {},
    config: { notifications: { channels: {}, rules: [] } },
    observer: await openObserver(pool),
    maxAttempts: 3,
    leaseDurationMs,
    enqueueAnswer,
    enqueueScore,
    logger,
  });
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
const lost = () =>
  insertSession(pool, { status: 'IN_PROGRESS', attempt: 1, worker_id: 'w', lease_expires_at: ago(60) });
async function jobs(): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>('select key from graphile_worker.jobs order by id');
  return rows.map(({ key }) => key);
}

test('a session whose job was lost gets another', async () => {
  const id = await insertSession(pool, { status: 'PENDING', dispatched_at: ago(120) });
  await start();
  await expect.poll(jobs, LONG).toEqual([`run-session:${id}`]);
});

test('a session whose worker is gone resumes, at any point', async () => {
  const first = await lost();
  await start();
  await expect.poll(jobs, LONG).toEqual([`run-session:${first}`]);
  const second = await lost();
  await expect.poll(jobs, LONG).toEqual([`run-session:${first}`, `run-session:${second}`]);
});

async function question(more: Record<string, unknown>): Promise<string> {
  const { status, ...session } = { status: 'PENDING', ...more };
  const sessionId = await insertSession(pool, { status: 'COMPLETED', attempt: 2, ...session });
  const chatId = await insertRow(pool, 'chats', { session_id: sessionId, created_by: 'ana' });
  const asked = { chat_id: chatId, author: 'ana', content: 'Why?' };
  const messageId = await insertRow(pool, 'chat_user_messages', asked);
  return insertRow(pool, 'stages', {
    ...{ session_id: sessionId, name: 'Chat', index: 1, type: 'CHAT', status, expected_agent_count: 1 },
    ...{ chat_message_id: messageId, created_at: ago(10) },
  });
}

test('work that cannot be recovered keeps no other work waiting', async () => {
  const ended = { attempt: 5, workers_lost: 5, worker_id: 'w' };
  const refused = await insertSession(pool, { status: 'IN_PROGRESS', ...ended, lease_expires_at: ago(90) });
  await pool.query(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'not this one' using errcode = 'data_exception'; end $$`);
  await pool.query(`create trigger refuse before update on alert_sessions for each row
    when (old.id = '${refused}' and new.current_stage_id is not distinct from old.current_stage_id) execute function refuse()`);
  try {
    const session = await lost();
    const stage = await question({ status: 'ACTIVE', lease_expires_at: ago(60) });
    await start(60_000);
    await expect.poll(jobs, LONG).toEqual([`run-session:${session}`, `answer-chat:${stage}`]);
    const next = await lost(); // recovered by the next round, not after the duration of a lease
    await expect.poll(jobs, LONG).toContain(`run-session:${next}`);
    const { rows } = await pool.query('select status from alert_sessions where id = $1', [refused]);
    expect(rows).toEqual([{ status: 'IN_PROGRESS' }]);
  } finally {
    await pool.query('drop trigger refuse on alert_sessions');
  }
});

test('a question whose worker is gone is queued again', async () => {
  const stage = await question({ status: 'ACTIVE', lease_expires_at: ago(60) });
  await start();
  await expect.poll(jobs, LONG).toEqual([`answer-chat:${stage}`]);
});

test('work whose worker died before the claim gets another job within seconds; work whose job waits keeps it', async () => {
  const [lost, waiting] = [await question({}), await question({})];
  const session = await insertSession(pool, { status: 'PENDING', dispatched_at: ago(10) });
  const queued = await insertSession(pool, { status: 'PENDING', dispatched_at: ago(10) });
  const interrupted = await question({ status: 'ACTIVE', lease_expires_at: ago(60) });
  const keys = [
    `answer-chat:${lost}`,
    `run-session:${session}`,
    `answer-chat:${waiting}`,
    `run-session:${queued}`,
    `answer-chat:${interrupted}`,
  ];
  for (const key of keys) await pool.query(`select graphile_worker.add_job('test', job_key := $1)`, [key]);
  await pool.query(`update graphile_worker._private_jobs set locked_at = now() where key = any($1)`, [
    keys.slice(0, 2),
  ]);
  await start();
  const free = async () =>
    (
      await pool.query(
        'select key from graphile_worker.jobs where locked_at is null order by id desc limit 2',
      )
    ).rows;
  await expect
    .poll(async () => new Set((await free()).map(({ key }) => key)), LONG)
    .toEqual(new Set(keys.slice(0, 2)));
  const { rows } = await pool.query('select revision from graphile_worker.jobs where key = any($1)', [
    keys.slice(2),
  ]);
  expect(rows).toEqual([{ revision: 0 }, { revision: 0 }, { revision: 0 }]);
});

test('a job that failed for the last time counts as none', async () => {
  const stage = await question({ status: 'ACTIVE', lease_expires_at: ago(60) });
  const session = await insertSession(pool, { status: 'PENDING', dispatched_at: ago(10) });
  const keys = [`answer-chat:${stage}`, `run-session:${session}`];
  for (const key of keys)
    await pool.query(`select graphile_worker.add_job('test', job_key := $1, max_attempts := 1)`, [key]);
  await pool.query('update graphile_worker._private_jobs set attempts = 1');
  await start();
  const available = async () => {
    const { rows } = await pool.query('select key from graphile_worker._private_jobs where is_available');
    return rows.map(({ key }) => key).sort();
  };
  await expect.poll(available, LONG).toEqual(keys.toSorted());
});

test('overdue approvals of hidden sessions keep no other from expiring', async () => {
  const [hidden, shown] = [await insertSession(pool, { deleted_at: ago(60) }), await insertSession(pool)];
  const ask = (sessionId: string, seconds: number, count = 1) =>
    pool.query(
      `insert into approvals (id, session_id, stage_id, execution_id, timeline_event_id, message_sequence, tool_call_id, server, tool,
         arguments, arguments_hash, schema_hash, policy, provenance, required_approvals, expires_at)
       select gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, 'c', 's', 't', '{}', 'h', 'h', 'p', '[]', 1, $2
       from generate_series(1, $3)`,
      [sessionId, ago(seconds), count],
    );
  await ask(hidden, 7_200, 100); // as many as one round handles, and longer overdue than the other
  await ask(shown, 60);
  await start();
  const found = 'select distinct session_id, status from approvals order by status desc';
  const statuses = async () => (await pool.query(found)).rows;
  await expect.poll(statuses, LONG).toEqual([
    { session_id: hidden, status: 'PENDING' },
    { session_id: shown, status: 'EXPIRED' },
  ]);
});

test('a score that is unclaimed or whose worker is gone is made by another worker', async () => {
  const sessionId = async () => insertSession(pool, { status: 'COMPLETED' });
  const asked = { requested_by: 'ana', created_at: ago(120) };
  const lost = { status: 'IN_PROGRESS', attempt: 1, lease_expires_at: ago(60) };
  const held = { status: 'IN_PROGRESS', attempt: 1, lease_expires_at: ago(-600) };
  const made = { status: 'COMPLETED', attempt: 1 };
  const young = { created_at: ago(-600) };
  // First, because the oldest scores are looked at first.
  for (const more of [young, held, made])
    await insertRow(pool, 'scores', { session_id: await sessionId(), ...asked, ...more });
  const gone = await insertRow(pool, 'scores', { session_id: await sessionId(), ...asked, ...lost });
  const forgotten = await insertRow(pool, 'scores', { session_id: await sessionId(), ...asked });
  await start();
  const keys = async () => (await jobs()).sort();
  await expect.poll(keys, LONG).toEqual([gone, forgotten].map((id) => `score-session:${id}`).sort());
});

test('after a database outage no worker counts as lost until leases could be renewed', async () => {
  failing = 2;
  const id = await lost();
  const begun = performance.now();
  await start();
  await expect.poll(jobs, LONG).toEqual([`run-session:${id}`]);
  // Two polls that fail, a third that reaches the database, and then one lease duration.
  // Timers may be a few milliseconds early.
  expect(performance.now() - begun).toBeGreaterThan(2 * (LEASE_MS / 2) + LEASE_MS - 20);
});
