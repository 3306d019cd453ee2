import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { readKnownResults } from './known-results.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

/** An agent of a stage, its analysis, and the number of its tool results. */
interface Agent {
  status?: string;
  analysis?: string;
  results?: number;
  /** Status of its tool calls. */
  calls?: string;
}

type Row = Record<string, unknown>;

/** Creates a session. Returns a function that adds its next stage, with its agents, and returns the stage's id. */
async function investigation() {
  const session = await insertSession(pool, { status: 'IN_PROGRESS', attempt: 1 });
  const own = { session_id: session };
  let index = 0;
  let sequence = 0;
  async function add(name: string, stage: Record<string, unknown>, agents: Agent[]): Promise<string> {
    index += 1;
    const id = await insertRow(pool, 'stages', { ...own, name, index, type: 'INVESTIGATION', ...stage });
    for (const [at, { status = 'COMPLETED', analysis, results = 0, calls }] of agents.entries()) {
      const execution = await insertRow(pool, 'agent_executions', {
        ...{ ...own, stage_id: id, agent_name: `A${at + 1}`, agent_index: at + 1, status },
        iteration_strategy: 'LANGCHAIN',
      });
      const item = (type: string, content: string, { of = 'COMPLETED', ...metadata }: Row = {}) => {
        sequence += 1;
        return insertRow(pool, 'timeline_events', {
          ...{ ...own, stage_id: id, execution_id: execution, sequence_number: sequence },
          ...{ type, status: of, content, metadata: JSON.stringify(metadata) },
        });
      };
      for (let n = 0; n < results; n += 1)
        await item('LLM_TOOL_CALL', 'x', { of: calls, server_name: 'host', tool_name: 'disk' });
      if (analysis !== undefined) await item('FINAL_ANALYSIS', analysis);
    }
    return id;
  }
  return { add, known: () => readKnownResults(pool, session) };
}

test('lists the tool results of agents without an analysis below the analyses of the others', async () => {
  const { add, known } = await investigation();
  await add('look', {}, [
    { analysis: 'It is full.', results: 2 },
    { status: 'TIMED_OUT', results: 1 },
  ]);
  const { analyses, all, toolResults } = await known();
  expect(analyses).toBe('It is full.');
  expect(toolResults).toBe(3);
  expect(all).toMatch(
    /^## look: A1\n\nIt is full\.\n\n## Not analysed\n\n.*Stored tool results: 1\n\n- \[T4\] host\.disk$/s,
  );
});

test('counts the results of failed calls, and no call that has none', async () => {
  const { add, known } = await investigation();
  const agents = ['FAILED', 'STREAMING', 'CANCELLED'].map((calls) => ({ results: 1, calls }));
  await add('look', {}, agents);
  const { all, toolResults } = await known();
  expect(toolResults).toBe(1);
  expect(all).toMatch(/Stored tool results: 1\n\n- \[T1\] host\.disk$/);
});

test('an analysis that joins others replaces them', async () => {
  const { add, known } = await investigation();
  const stage = await add('look', {}, [{ analysis: 'One.' }, { analysis: 'Two.' }]);
  const joins = { type: 'SYNTHESIS', referenced_stage_id: stage };
  await add('look - Synthesis', joins, [{ status: 'TIMED_OUT' }]);
  expect((await known()).analyses).toBe('## look: A1\n\nOne.\n\n## look: A2\n\nTwo.');
  await add('look - Synthesis', joins, [{ analysis: 'Both.' }]);
  await add('heal', {}, [{ analysis: 'Restarted.' }]);
  expect((await known()).analyses).toContain('Both.');
  expect((await known()).analyses).not.toContain('One.');
  await add('Final analysis', { type: 'SYNTHESIS' }, [{ analysis: 'All in one.' }]);
  expect((await known()).analyses).toBe('All in one.');
});

test.each([
  [null, ['COMPLETED'], true],
  [null, ['TIMED_OUT'], false],
  ['ANY', ['COMPLETED', 'TIMED_OUT'], true],
  ['ALL', ['COMPLETED', 'TIMED_OUT'], false],
  ['ALL', ['COMPLETED', 'COMPLETED'], true],
  ['ANY', [], false],
])('a stage with policy %s whose agents are %j has concluded: %s', async (policy, statuses, hasConcluded) => {
  const { add, known } = await investigation();
  await add(
    'look',
    { success_policy: policy },
    statuses.map((status) => ({ status })),
  );
  expect((await known()).hasConcluded).toBe(hasConcluded);
});
