import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow } from '../../../../test/helpers/http-api.ts';
import { insertInvestigation } from '../../../../test/helpers/investigation.ts';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import { MODEL_RESULT_MAX_UNITS } from '../../prompt-text/tool-results.ts';
import { outputTools, readOutputs, resultLimits } from './tools.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

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

type Made = Awaited<ReturnType<typeof result>>;

async function run(
  { session: sessionId, execution: executionId }: Made,
  kind: 'search' | 'read',
  args: Record<string, unknown>,
): Promise<string> {
  const tool = outputTools({ db: pool, sessionId, executionId, maxUnits: 4000 })[kind === 'search' ? 0 : 1]!;
  try {
    return await tool.run(args, { id: 'call', name: tool.name, arguments: '' });
  } catch (error) {
    return (error as Error).message;
  }
}

const ask = (session: string, execution: string, number: number) =>
  run({ session, execution }, 'search', { number, pattern: 'figure' });

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

test('says where a search and a passage continue', async () => {
  const text = Array.from({ length: 3_000 }, (_, n) => `figure ${n + 1}`).join('\n');
  const made = await result(910, 'ACTIVE', text);
  const found = await run(made, 'search', { number: 910, pattern: 'figure' });
  const [, shown, next] =
    /^3000 of the 3000 lines of T910 match\. The first (\d+) are below; for more, search from line (\d+),/.exec(
      found,
    )!;
  expect(found).toMatch(new RegExp(`\\n${shown}: figure ${shown}$`));
  expect(Number(next)).toBe(Number(shown) + 1);
  expect(await run(made, 'search', { number: 910, pattern: '9{3}$', from: 1_500 })).toMatch(
    /^2 of the 3000 lines of T910 match from line 1500 on\. Each line .*\n\n1999: figure 1999\n2999: figure 2999$/,
  );
  expect(await run(made, 'search', { number: 910, pattern: 'none', from: 5 })).toBe(
    'No line of T910 matches from line 5 on. The result has 3000 lines.',
  );
  const passage = await run(made, 'read', { number: 910 });
  const [, last, after] =
    /^Lines 1 to (\d+) of 3000 of T910; cite T910\. More does not fit; continue from line (\d+)\./.exec(
      passage,
    )!;
  expect(Number(after)).toBe(Number(last) + 1);
  for (const answer of [found, passage]) {
    expect(answer.length).toBeGreaterThan(3_000);
    expect(answer.length).toBeLessThanOrEqual(4_000);
  }
  for (const range of [{ from: 2_999 }, { from: 2_998, to: 2_999 }])
    expect(await run(made, 'read', { number: 910, ...range })).toMatch(
      /^Lines \d+ to \d+ of 3000 of T910; cite T910\.\n\n/,
    );
  const empty = await result(911, 'ACTIVE', '');
  expect(await run(empty, 'read', { number: 911 })).toBe('the result T911 is empty');
});

test('reads the last result of a call, and counts a call without a result and TARSy’s own tools as failed', async () => {
  const { session } = await result(920, 'COMPLETED', 'the first result');
  const again = (tool_call_id: string, values: object) =>
    pool.query(
      `insert into mcp_interactions select o.* from mcp_interactions m, jsonb_populate_record(m, $2) o
       where m.session_id = $1 and m.tool_call_id = 'call' limit 1`,
      [session, JSON.stringify({ id: uuidv7(), tool_call_id, ...values })],
    );
  await again('call', { result: { content: 'the last result', isError: false } });
  await again('open', { result: null });
  await again('own', { server_name: 'tarsy', result: { content: 'ENOENT', isError: true } });
  await again('missing', { result: { content: 'ENOENT', isError: true } });
  for (const [at, call] of ['open', 'own', 'missing'].entries())
    await pool.query(
      `insert into timeline_events select o.* from timeline_events t, jsonb_populate_record(t, $2) o
       where t.session_id = $1 and t.sequence_number = 920`,
      [
        session,
        JSON.stringify({ id: uuidv7(), sequence_number: 921 + at, metadata: { tool_call_id: call } }),
      ],
    );
  expect(await readOutputs(pool, session, [923, 922, 921, 920])).toMatchObject([
    { number: 920, text: 'the last result', succeeded: true, notFound: false },
    { number: 921, text: '', succeeded: false, notFound: false },
    { number: 922, server: 'tarsy', succeeded: false, notFound: false },
    { number: 923, server: 'host', succeeded: false, notFound: true },
  ]);
});

test.each([
  ['a large window', 1_000_000, 10_000, { whole: 40_000, part: 8_000 }],
  ['a small window', 2_000, 10_000, { whole: 2_000, part: 1_000 }],
  ['a small configured limit', 1_000_000, 100, { whole: 2_000, part: 2_000 }],
])('limits the results of a model with %s', (_, contextWindow, wholeMaxTokens, limits) => {
  const config = { defaults: { toolResults: { wholeMaxTokens } } };
  const of = (llm: object) => resultLimits({ llm, config } as unknown as Parameters<typeof resultLimits>[0]);
  expect(of({ provider: 'openai', contextWindow })).toEqual(limits);
  expect(of({ provider: 'offline', contextWindow })).toEqual({
    ...{ whole: MODEL_RESULT_MAX_UNITS, part: MODEL_RESULT_MAX_UNITS },
  });
});
