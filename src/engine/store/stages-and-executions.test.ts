import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { beginRun } from '../../../test/helpers/run-log.ts';
import { type RowChange, writeRows } from './event-statement.ts';
import { addUsage, changeProvider, endExecution } from './stages-and-executions.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

/** Inserts an agent that runs. Returns functions that change it and read it. */
async function agent() {
  const { fence } = await beginRun(pool);
  const session_id = fence.sessionId;
  const stage = await insertRow(pool, 'stages', {
    session_id,
    name: 'look',
    index: 1,
    type: 'INVESTIGATION',
  });
  const id = await insertRow(pool, 'agent_executions', {
    ...{ session_id, stage_id: stage, agent_name: 'A', agent_index: 1, status: 'ACTIVE' },
    ...{ iteration_strategy: 'LANGCHAIN', llm_provider: 'first' },
  });
  const write = (...changes: RowChange[]) => writeRows(pool, fence, changes);
  const read = async () => {
    const { rows } = await pool.query(
      `select status, error_message as error, total_tokens::int as tokens, llm_provider as provider,
         original_llm_provider as original from agent_executions where id = $1`,
      [id],
    );
    return rows[0];
  };
  return { id, write, read };
}

const TOKENS = { inputTokens: 7, outputTokens: 2, thinkingTokens: 0, totalTokens: 9 };
const USAGE = { ...TOKENS, cachedReadTokens: 0, cacheWriteTokens: 0, costUsd: null };

test('the first end of an agent stands, and its usage counts also afterwards', async () => {
  const { id, write, read } = await agent();
  await write(
    addUsage(id, USAGE),
    addUsage(id, USAGE),
    endExecution(id, { status: 'COMPLETED', errorMessage: null }),
  );
  await write(endExecution(id, { status: 'FAILED', errorMessage: 'It came too late.' }));
  await write(addUsage(id, USAGE));
  expect(await read()).toMatchObject({ status: 'COMPLETED', error: null, tokens: 27 });
});

test('an agent keeps the name of its first provider', async () => {
  const { id, write, read } = await agent();
  const to = (llmProvider: string) =>
    write(changeProvider(id, { llmProvider, llmBackend: 'langchain', modelName: 'm' }));
  expect(await read()).toMatchObject({ provider: 'first', original: null });
  await to('second');
  await to('third');
  expect(await read()).toMatchObject({ status: 'ACTIVE', provider: 'third', original: 'first' });
});
