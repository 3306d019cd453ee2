import { afterEach, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { claimedFact } from '../helpers/report.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000 });

let running: TestApp | Cluster;
afterEach(() => running.stop());

const ON = { hypotheses: { enabled: true } };
const TOOL = 'tarsy.update_hypotheses';
const LOOK = toolCall('tools.count_lines', { n: 20 }, 'look');

interface Shown {
  hypotheses: {
    text: string;
    state: string;
    agent: string;
    createdAt: string;
    updatedAt: string;
    facts: { status: string; citation: { source: string; status: string } }[];
  }[];
  export: string;
}

async function read(api: ApiClient, id: string): Promise<Shown> {
  const { session } = await api.query<{ session: Shown }>(
    `query ($id: ID!) { session(id: $id) { export(format: MARKDOWN) hypotheses { text state agent createdAt updatedAt
       facts { status citation { source status } } } } }`,
    { id },
  );
  return session;
}

/** Returns a proof that `line 7` stands in the result of the first call, whose number the last request shows. */
const proof = (source: string, value = '7') => ({
  citations: [{ source, quote: 'line 6\nline 7\nline 8' }],
  facts: [claimedFact('line', 'line', value)],
});
const numberIn = (text: string): string => /\[(T\d+)\]/.exec(text)![1]!;
const update = (id: string, ...hypotheses: object[]) => toolCall(TOOL, { hypotheses }, id);

async function investigate(...responses: ScriptedResponse[]) {
  const app = await startTestApp({ defaults: { ...ON, report: { enabled: true } } });
  running = app;
  const api = apiClient(app.url);
  app.llm.script(...responses);
  const id = await api.submit('Too many lines');
  const ended = await api.waitFor(id, ({ status }) => ENDED.has(status));
  app.llm.assertNoUnusedScripts();
  return { app, ended, shown: await read(api, id) };
}

test('shows hypotheses whose proof holds and refuses a proof that does not', async () => {
  let source = '';
  const { app, shown } = await investigate(
    update('a', { text: 'Line 7 is wrong', state: 'PROPOSED' }, { text: 'The tool lies', state: 'PROPOSED' }),
    LOOK,
    (request) => {
      source = numberIn(request.messages.at(-1)!.content);
      return update(
        'b',
        { id: 'H1', state: 'SUPPORTED', ...proof(source) },
        { id: 'H2', state: 'REFUTED', ...proof(source, '99') },
        { id: 'H9', state: 'REFUTED', ...proof(source) },
        { text: 'No proof', state: 'SUPPORTED' },
      );
    },
    (request) => {
      const answer = request.messages.at(-1)!.content;
      expect(answer).toContain('H1 is SUPPORTED.');
      expect(answer).toMatch(/H2 stays PROPOSED: The quote from T\d+ .*"99"/);
      expect(answer).toContain('H9 is unknown.');
      expect(answer).toContain('H3 is only PROPOSED: No source cited.');
      return { text: 'Line 7 is wrong.' };
    },
    (request) => {
      const prompt = request.messages.at(-1)!.content;
      expect(prompt).toMatch(/## Hypotheses[\s\S]*- SUPPORTED \(T\d+\), TestAgent: Line 7 is wrong/);
      return { text: 'no report' };
    },
    { text: 'no report' },
    { text: 'In short.' },
  );
  expect(app.llm.requests[0]!.tools.map(({ name }) => name)).toContain(TOOL);
  expect(shown.hypotheses).toMatchObject([
    {
      ...{ text: 'Line 7 is wrong', state: 'SUPPORTED', agent: 'TestAgent' },
      facts: [{ status: 'SUPPORTED', citation: { source, status: 'HOLDS' } }],
    },
    { text: 'The tool lies', state: 'PROPOSED', facts: [] },
    { text: 'No proof', state: 'PROPOSED', facts: [] },
  ]);
  expect(shown.export).toMatch(
    /## Hypotheses\n\n- _Supported_ Line 7 is wrong \(TestAgent\)\n {2}- ✓ line = 7/,
  );
});

test('works for ReAct agents, with at most ten hypotheses', async () => {
  const app = await startTestApp({ defaults: { ...ON, iteration_strategy: 'react' } });
  running = app;
  const api = apiClient(app.url);
  const ten = Array.from({ length: 10 }, (_, n) => ({ text: `Cause ${n}`, state: 'PROPOSED' }));
  const act = (hypotheses: object[]) => ({
    text: `Thought: I list causes.\nAction: ${TOOL}\nAction Input: ${JSON.stringify({ hypotheses })}`,
  });
  app.llm.script(
    act(ten),
    act([{ text: 'One more', state: 'PROPOSED' }]),
    (request) => {
      expect(request.messages.at(-1)!.content).toContain('Not stored: an agent has at most 10 hypotheses');
      return { text: 'Thought: Enough.\nFinal Answer: Done.' };
    },
    { text: 'In short.' },
  );
  const id = await api.submit('Too many lines');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  app.llm.assertNoUnusedScripts();
  expect((await read(api, id)).hypotheses.map(({ text }) => text)).toEqual(ten.map(({ text }) => text));
});

test('a call that is repeated after a crash changes nothing', async () => {
  const cluster = await startCluster({ defaults: ON });
  running = cluster;
  cluster.llm.script(
    update('a', { text: 'The disk is full', state: 'PROPOSED' }),
    [{ text: 'Half of a ' }, { gate: 'broken' }],
    { text: 'Done.' },
    { text: 'In short.' },
  );
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Go on after me');
  await cluster.llm.reached('broken');
  const before = (await read(cluster.api, id)).hypotheses;
  expect(before).toHaveLength(1);
  await worker.end('SIGKILL');
  // As if the worker had been killed before it stored the result of the call.
  const removed = await cluster.sql.query(`delete from messages where tool_call_id = 'a'`);
  expect(removed.rowCount).toBe(1);
  await cluster.sql.query(`delete from mcp_interactions where tool_call_id = 'a'`);
  const ended = cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
  await cluster.startWorker();
  expect(await ended).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Done.' });
  expect(cluster.llm.requests.at(-2)!.messages.at(-1)!.content).toContain('H1 is PROPOSED.');
  expect((await read(cluster.api, id)).hypotheses).toEqual(before);
});

test('agents without the tool work as before', async () => {
  const app = await startTestApp();
  running = app;
  const api = apiClient(app.url);
  app.llm.script({ text: 'Done.' }, { text: 'In short.' });
  const id = await api.submit('Too many lines');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  expect(app.llm.requests[0]!.tools.map(({ name }) => name)).not.toContain(TOOL);
  expect((await read(api, id)).hypotheses).toEqual([]);
});
