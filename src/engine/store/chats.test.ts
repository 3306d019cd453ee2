import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { withdrawApprovals } from './approvals.ts';
import { claimChatStage, endAnswer, findAbandonedChatStages } from './chats.ts';
import { createTransaction } from './database.ts';
import { writeRows } from './event-statement.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const LONG_AGO = new Date('2000-01-01');
const SOON = new Date('2100-01-01');

/** Inserts an ended session with an open question. */
async function asked(session: Record<string, unknown> = {}) {
  const id = await insertSession(pool, { status: 'COMPLETED', attempt: 1, ...session });
  const chat = await insertRow(pool, 'chats', { session_id: id, created_by: 'ana' });
  const question = await insertRow(pool, 'chat_user_messages', {
    chat_id: chat,
    author: 'ana',
    content: 'Why?',
  });
  const stage = await insertRow(pool, 'stages', {
    ...{ session_id: id, name: 'Chat', index: 1, type: 'CHAT', status: 'ACTIVE', created_at: LONG_AGO },
    ...{ expected_agent_count: 1, chat_message_id: question },
  });
  return { id, stage };
}

/** Inserts an agent of the stage whose call waits for an approval. */
async function requested({ id, stage }: { id: string; stage: string }, more: Record<string, unknown> = {}) {
  const execution = await insertRow(pool, 'agent_executions', {
    ...{ session_id: id, stage_id: stage, agent_name: 'A', agent_index: 1 },
    ...{ iteration_strategy: 'LANGCHAIN', status: 'WAITING_FOR_APPROVAL' },
  });
  const event = await insertRow(pool, 'timeline_events', {
    ...{ session_id: id, stage_id: stage, execution_id: execution, sequence_number: 1 },
    ...{ type: 'LLM_TOOL_CALL', status: 'COMPLETED', content: '' },
  });
  return insertRow(pool, 'approvals', {
    ...{ session_id: id, stage_id: stage, execution_id: execution, timeline_event_id: event },
    ...{
      message_sequence: 3,
      tool_call_id: 'c',
      server: 's',
      tool: 't',
      arguments: '{}',
      arguments_hash: 'h',
    },
    ...{ schema_hash: 'h', policy: 'p', provenance: '[]', required_approvals: 1, expires_at: SOON, ...more },
  });
}

const claim = (stage: string) => claimChatStage(pool, stage, { workerId: 'w', leaseMs: 60_000 });

test('a question is claimed by one worker at a time, and counts the workers that it lost', async () => {
  const { id, stage } = await asked();
  expect(await claim(stage)).toMatchObject({
    fence: { sessionId: id, attempt: 2 },
    stage: { workersLost: 0 },
  });
  expect(await claim(stage)).toBeNull();
  await pool.query('update alert_sessions set lease_expires_at = $2 where id = $1', [id, LONG_AGO]);
  expect(await claim(stage)).toMatchObject({ stage: { workersLost: 1 } });
});

test('a question that is cancelled during its claim leaves the session to the next question', async () => {
  const { id, stage } = await asked();
  const cancelling = await pool.connect();
  await cancelling.query('begin');
  await cancelling.query('select 1 from alert_sessions where id = $1 for no key update', [id]);
  await cancelling.query(`update stages set status = 'CANCELLED' where id = $1`, [stage]);
  const claiming = createTransaction(pool, { publish: async () => {} })((tx) =>
    claimChatStage(tx, stage, { workerId: 'w', leaseMs: 60_000 }),
  );
  const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await pool.query(waits)).rows).toHaveLength(1);
  await cancelling.query('commit');
  cancelling.release();
  expect(await claiming).toBeNull();
  const { rows } = await pool.query(
    'select attempt, worker_id, lease_expires_at from alert_sessions where id = $1',
    [id],
  );
  expect(rows).toEqual([{ attempt: 2, worker_id: null, lease_expires_at: null }]);
});

test('a question that waits for an approval is not abandoned', async () => {
  const [waiting, lost] = [await asked(), await asked()];
  await requested(waiting);
  expect(await findAbandonedChatStages(pool)).toEqual([lost.stage]);
});

test('the end of an answer ends its stage and the agents that wait for an approval', async () => {
  const { id, stage } = await asked({ lease_expires_at: SOON });
  const approval = await requested({ id, stage });
  const end = { status: 'CANCELLED', errorMessage: 'Cancelled.' } as const;
  await endAnswer(pool, { sessionId: id, attempt: 1 }, stage, end);
  const { rows } = await pool.query(
    `select t.status as stage, e.status as agent, a.status as approval from approvals a
     join agent_executions e on e.id = a.execution_id join stages t on t.id = a.stage_id where a.id = $1`,
    [approval],
  );
  expect(rows).toEqual([{ stage: 'CANCELLED', agent: 'CANCELLED', approval: 'WITHDRAWN' }]);
});

test.each([
  [{ status: 'PENDING' }, 'WITHDRAWN'],
  [{ status: 'APPROVED' }, 'WITHDRAWN'],
  [{ status: 'APPROVED', executing_at: LONG_AGO }, 'OUTCOME_UNKNOWN'],
  [{ status: 'DENIED' }, 'DENIED'],
])('withdrawing an approval that is %j makes it %s', async (approval, status) => {
  const question = await asked({ lease_expires_at: SOON });
  const id = await requested(question, approval);
  await writeRows(pool, { sessionId: question.id, attempt: 1 }, [withdrawApprovals(question.stage)]);
  const { rows } = await pool.query('select status from approvals where id = $1', [id]);
  expect(rows).toEqual([{ status }]);
});
