import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import { claimChatStage, endAnswer, findAbandonedChatStages, releaseChat } from '../../engine/store/chats.ts';
import { createTransaction } from '../../engine/store/database.ts';
import { enqueueAnswer } from './row-tasks.ts';

/** A notification bus without subscribers. */
const UNHEARD = { publish: async () => {} };

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const LEASE = { workerId: 'w', leaseMs: 60_000 };

let stages = 0;

async function question(sessionId: string, createdAt = new Date()): Promise<string> {
  const id = uuidv7();
  const stage = { id, session_id: sessionId, index: ++stages, name: 'chat', type: 'CHAT', status: 'PENDING' };
  await insertRow(pool, 'stages', { ...stage, created_at: createdAt });
  return id;
}

async function queued(): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>('select key from graphile_worker.jobs');
  return rows.map(({ key }) => key);
}

test('a question asked between the end of an answer and the end of its lease is queued when the lease is released', async () => {
  const sessionId = await insertSession(pool, { status: 'COMPLETED' });
  const first = await question(sessionId);
  const claimed = await claimChatStage(pool, first, LEASE);
  await pool.query(`update stages set status = 'COMPLETED' where id = $1`, [first]);
  const second = await question(sessionId);
  expect(await claimChatStage(pool, second, LEASE)).toBeNull(); // the second question's job ends without an answer
  expect(await queued()).toEqual([]);
  await createTransaction(
    pool,
    UNHEARD,
  )(async (tx) => {
    await endAnswer(tx, claimed!.fence, first, { status: 'FAILED', errorMessage: 'no key' });
    await releaseChat(tx, claimed!.fence, enqueueAnswer);
  });
  expect(await queued()).toEqual([`answer-chat:${second}`]);
  expect(await claimChatStage(pool, second, LEASE)).toMatchObject({ stage: { id: second } });
});

test('an interrupted answer is ended with all its open rows', async () => {
  const sessionId = await insertSession(pool, { status: 'COMPLETED' });
  const stage = await question(sessionId);
  const claimed = await claimChatStage(pool, stage, LEASE);
  const agent = {
    agent_index: 1,
    agent_name: 'ChatAgent',
    iteration_strategy: 'function-calling',
    status: 'ACTIVE',
  };
  await insertRow(pool, 'agent_executions', {
    id: uuidv7(),
    session_id: sessionId,
    stage_id: stage,
    ...agent,
  });
  const end = { status: 'CANCELLED', errorMessage: 'Cancelled.' } as const;
  await createTransaction(pool, UNHEARD)((tx) => endAnswer(tx, claimed!.fence, stage, end));
  for (const table of ['stages', 'agent_executions']) {
    const { rows } = await pool.query(`select status, error_message from ${table} where session_id = $1`, [
      sessionId,
    ]);
    expect(rows).toEqual([{ status: 'CANCELLED', error_message: 'Cancelled.' }]);
  }
});

test('an unclaimed question is found, a fresh one is left to its job', async () => {
  const [old, fresh] = [
    await insertSession(pool, { status: 'COMPLETED' }),
    await insertSession(pool, { status: 'FAILED' }),
  ];
  const forgotten = await question(old, new Date(Date.now() - 120_000));
  await question(fresh);
  expect(await findAbandonedChatStages(pool)).toEqual([forgotten]);
});
