import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestPool } from '../../../../test/helpers/deliveries.ts';
import { insertRow } from '../../../../test/helpers/http-api.ts';
import { insertInvestigation } from '../../../../test/helpers/investigation.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/helpers/postgres.ts';
import { outputTools } from './tools.ts';

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Creates a session whose agent has this status and one tool result. */
async function result(number: number, status: string, text: string, session?: string) {
  const made = await insertInvestigation(pool);
  const own = { session_id: session ?? made.session, stage_id: made.stage };
  const execution = await insertRow(pool, 'agent_executions', {
    ...own,
    ...{ agent_name: 'A', agent_index: 7, iteration_strategy: 'LANGCHAIN', status },
  });
  const of = { ...own, execution_id: execution };
  await insertRow(pool, 'timeline_events', {
    ...of,
    ...{ sequence_number: number, type: 'LLM_TOOL_CALL', status: 'COMPLETED', content: 'the beginning' },
    metadata: JSON.stringify({ tool_call_id: 'call' }),
  });
  await insertRow(pool, 'mcp_interactions', {
    ...of,
    ...{ type: 'TOOL_CALL', server_name: 'host', tool_name: 'disk', tool_call_id: 'call', duration_ms: 1 },
    result: JSON.stringify({ content: text, isError: false }),
  });
  return { session: own.session_id, execution };
}

async function ask(sessionId: string, executionId: string, number: number): Promise<string> {
  const [search] = outputTools({ db: pool, sessionId, executionId, maxUnits: 4000 });
  try {
    return await search!.run(
      { number, pattern: 'figure' },
      { id: 'call', name: search!.name, arguments: '' },
    );
  } catch (error) {
    return (error as Error).message;
  }
}

test('an agent finds its own results and those of ended agents, in its own session only', async () => {
  const mine = await result(900, 'ACTIVE', 'one\nthe figure is mine');
  const theirs = await result(901, 'ACTIVE', 'the figure is theirs', mine.session);
  await result(902, 'COMPLETED', 'the figure is old', mine.session);
  const other = await result(903, 'COMPLETED', 'the figure is secret');
  const answers = await Promise.all(
    [900, 901, 902, 903].map((number) => ask(mine.session, mine.execution, number)),
  );
  expect(answers[0]).toContain('2: the figure is mine');
  expect(answers[2]).toContain('1: the figure is old');
  for (const [at, number] of [
    [1, 901],
    [3, 903],
  ] as const)
    expect(answers[at]).toBe(
      `you have no result T${number}; each result begins with its number, such as [T12]`,
    );
  expect(await ask(mine.session, theirs.execution, 901)).toContain('1: the figure is theirs');
  expect(await ask(other.session, mine.execution, 900)).toContain('you have no result T900');
});
