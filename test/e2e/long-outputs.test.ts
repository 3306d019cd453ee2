import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readKept } from '../../src/engine/agent/resume.ts';
import { readOutputs } from '../../src/engine/features/tool-outputs/tools.ts';
import { weightOf } from '../../src/engine/model/context-window/token-estimate.ts';
import { UNITS_PER_PROMPT_TOKEN } from '../../src/engine/model/context-window/window.ts';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { toolsServer } from '../helpers/config.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/**
 * Tests many long outputs with a model of 32,000 tokens: the window is never exceeded and no output is lost.
 */
const WINDOW = 32_000;
const CALLS = 60;
const LINES = 2300; // about 90 bytes each: 200 kB

let app: TestApp;
let api: ApiClient;
beforeAll(async () => {
  app = await startTestApp({
    defaults: { llm_provider: 'scripted-32k', max_iterations: CALLS + 10 },
    chain: { chat: { enabled: true } },
    mcpServers: { logs: toolsServer(undefined, { LONG_RESULTS: '1' }) },
    agents: { TestAgent: { mcp_servers: ['tools', 'logs'] } },
  });
  api = apiClient(app.url);
});
afterAll(() => app.stop());
afterEach(() => app.llm.assertNoUnusedScripts());

/** Returns an upper bound of a request's tokens, including its tools. */
const tokensOf = ({ messages, tools }: GenerateRequest) =>
  Math.ceil(
    (messages.reduce(
      (sum, { content, toolCalls }) =>
        sum +
        weightOf(content) +
        toolCalls.reduce((all, call) => all + weightOf(call.name + call.arguments), 0),
      0,
    ) +
      weightOf(
        JSON.stringify(
          tools.map(({ name, description, parametersSchema }) => [name, description, parametersSchema]),
        ),
      )) /
      UNITS_PER_PROMPT_TOKEN,
  );

const textOf = ({ messages }: GenerateRequest) =>
  messages.map((message) => JSON.stringify(message)).join('\n');

/** Returns the length of the beginning that two texts share. */
function shared(before: string, after: string): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  return at;
}

const resultsIn = ({ messages }: GenerateRequest) => messages.filter(({ role }) => role === 'tool');
const EVICTED = /^\[T\d+\] \(removed to shorten the conversation[^\n]*\)$/;

test('60 outputs of 200 kB fit a window of 32k tokens, and a value from the third is found again', {
  timeout: 120_000,
}, async () => {
  const earlier = app.llm.requests.length;
  const calls = Array.from({ length: CALLS }, (_, n) =>
    toolCall('logs.log', { seed: n + 1, lines: LINES }, `call${n + 1}`),
  );
  let third = 0;
  app.llm.script(
    ...calls,
    (request) => {
      third = Number(/^\[T(\d+)\]/.exec(resultsIn(request)[2]!.content)![1]);
      return toolCall('tarsy.search_output', { number: third, pattern: 'needle of 3 ' }, 'found');
    },
    () => toolCall('tarsy.read_output', { number: third, from: LINES / 2, to: LINES / 2 + 1 }, 'read'),
    { text: 'It was 4711 ms.' },
    { text: 'In short.' },
  );
  const id = await api.submit('Slow');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const { session } = await api.query<{
    session: {
      status: string;
      finalAnalysis: string;
      health: { shortenedOutputs: number; toolCalls: number };
    };
  }>(`query ($id: ID!) { session(id: $id) { status finalAnalysis health { shortenedOutputs toolCalls } } }`, {
    id,
  });
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'It was 4711 ms.' });
  expect(session.health).toEqual({ toolCalls: CALLS, shortenedOutputs: CALLS });

  const requests = app.llm.requests.slice(earlier, earlier + CALLS + 3);
  for (const request of requests) expect(tokensOf(request)).toBeLessThanOrEqual(WINDOW * 0.75);
  expect(app.llm.requests.at(-1)!.messages.some(({ content }) => content.includes('Shortened texts'))).toBe(
    false,
  );

  const shares = requests.slice(1).map((request, n) => {
    const before = textOf(requests[n]!);
    return { equal: shared(before, textOf(request)), of: before.length };
  });
  const sum = (key: 'equal' | 'of') => shares.reduce((all, share) => all + share[key], 0);
  const evictions = shares.filter(({ equal, of }) => equal < of).length;
  expect(sum('equal') / sum('of')).toBeGreaterThanOrEqual(0.9);
  expect(evictions).toBeGreaterThan(0);

  const last = requests.at(-1)!;
  const [results, found, read] = [resultsIn(last), ...resultsIn(last).slice(-2)];
  expect(results[2]!.content).toMatch(EVICTED);
  for (const kept of results.slice(-3)) expect(kept.content).not.toMatch(EVICTED);
  expect(found!.content).toContain(`1 of the ${LINES} lines of T${third} match`);
  expect(found!.content).toMatch(/\n1150: .* needle of 3 is 4711 ms/);
  expect(read!.content).toContain('needle of 3 is 4711 ms');

  const pool = new pg.Pool({ connectionString: app.database.url });
  try {
    const sessionId = last.sessionId;
    const [output] = await readOutputs(pool, sessionId, [third]);
    expect(Buffer.byteLength(output!.text)).toBeGreaterThan(195_000);
    // Another process that resumes this conversation evicts the same results, because the stored state says
    // so.
    const kept = await readKept(pool, last, 'scripted-4');
    expect(kept.maxWeight).toBeNull();
    expect(results.findLastIndex(({ content }) => EVICTED.test(content))).toBe((kept.evictedThrough - 4) / 2);
  } finally {
    await pool.end();
  }

  app.llm.script(toolCall('tarsy.search_output', { number: third, pattern: '4711 ms$' }, 'again'), {
    text: 'Yes.',
  });
  expect(await waitForStageEnd(api, id, await askQuestion(api, id, 'Are you sure?'))).toBe('COMPLETED');
  expect(resultsIn(app.llm.requests.at(-1)!).at(-1)!.content).toContain('needle of 3 is 4711 ms');
});

test('reports outputs that cannot be searched, and finds nothing of another session', async () => {
  app.llm.script(
    toolCall('tools.echo', { text: 'mine' }, 'a'),
    [
      toolCall('tarsy.search_output', { number: 999, pattern: 'x' }, 'none'),
      toolCall('tarsy.search_output', { number: 1, pattern: '(' }, 'own'),
      toolCall('tarsy.read_output', { number: 'x' }, 'text'),
    ],
    (request) => {
      const [own] = resultsIn(request);
      const number = Number(/\[T(\d+)\]/.exec(own!.content)![1]);
      return [
        toolCall('tarsy.search_output', { number, pattern: '(' }, 'broken'),
        toolCall('tarsy.read_output', { number, from: 9 }, 'after'),
        toolCall('tarsy.read_output', { number }, 'all'),
      ];
    },
    { text: 'Done.' },
    { text: 'In short.' },
  );
  const id = await api.submit('Two');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const results = resultsIn(app.llm.requests.at(-2)!).map(({ content }) => content);
  expect(results.slice(1)).toEqual([
    expect.stringContaining('you have no result T999'),
    expect.stringMatching(/you have no result T1|cannot be read/),
    expect.stringContaining('Invalid arguments'),
    expect.stringContaining('this pattern cannot be read'),
    expect.stringContaining('it has 1 lines, and none with number 9'),
    expect.stringContaining('echo: mine'),
  ]);
});
