import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { beginRun } from '../../../test/helpers/run-log.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import { writeRows } from './event-statement.ts';
import { type NewHypothesis, readHypotheses, saveHypothesis } from './hypotheses.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

test('of several changes of a hypothesis the last one is kept, in one write or in several', async () => {
  const { fence } = await beginRun(pool);
  const session_id = fence.sessionId;
  const stage = await insertRow(pool, 'stages', {
    session_id,
    name: 'look',
    index: 1,
    type: 'INVESTIGATION',
  });
  const executionId = await insertRow(pool, 'agent_executions', {
    ...{ session_id, stage_id: stage, agent_name: 'A', agent_index: 1, iteration_strategy: 'LANGCHAIN' },
  });
  const first: NewHypothesis = {
    ...{ id: uuidv7(), executionId, number: 1, text: 'The disk is full.', state: 'PROPOSED' },
    ...{ citations: [], facts: [] },
  };
  const write = (...states: NewHypothesis['state'][]) =>
    writeRows(
      pool,
      fence,
      states.map((state) => saveHypothesis({ ...first, state })),
    );
  const stored = async () => (await readHypotheses(pool, executionId)).map(({ state }) => state);
  await write('PROPOSED', 'REFUTED', 'SUPPORTED');
  expect(await stored()).toEqual(['SUPPORTED']);
  await write('REFUTED');
  expect(await stored()).toEqual(['REFUTED']);
});
