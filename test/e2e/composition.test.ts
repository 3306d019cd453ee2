import { afterEach, expect, test, vi } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import type { TestConfigOptions } from '../helpers/config.ts';
import { claimedFact } from '../helpers/report.ts';
import { type ScriptedResponse, type Step, toolCall } from '../helpers/scripted-llm/index.ts';

/** Chains that investigate and then act: the final analysis, the report and the summary hold both. */
vi.setConfig({ testTimeout: 120_000 });

let stop: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of stop.toReversed()) await each();
  stop = [];
});

const agents = [{ name: 'TestAgent' }];
const CHAIN = {
  defaults: { report: { enabled: true } },
  stages: [
    { name: 'look', agents },
    { name: 'heal', agents },
  ],
};

const INVESTIGATION = 'var is full of logs [T1].';
const MEMO = 'Restarted, nothing more to say.';
const COMPOSED = 'var is full of logs [T1]. The rotation was restarted [T3].';

const isComposition = ({ messages }: GenerateRequest) => messages[0]!.content.startsWith('You compose');
const textOf = ({ messages }: GenerateRequest) => messages.map(({ content }) => content).join('\n');

/** Answers from the request alone, so that a call repeated after a crash gets an equal answer. */
function answer(composition: ScriptedResponse) {
  return (request: GenerateRequest): Step | readonly Step[] => {
    const isCalled = request.messages.some(({ role }) => role === 'tool');
    if (isComposition(request)) return composition as Step;
    if (request.purpose === 'report') return toolCall('submit_report', report(), 'report');
    if (request.purpose === 'executive_summary') return { text: 'Full; rotation restarted.' };
    if (!textOf(request).includes(INVESTIGATION))
      return isCalled ? { text: INVESTIGATION } : toolCall('tools.echo', { text: 'var is full' }, 'look-1');
    return isCalled ? { text: MEMO } : toolCall('tools.note', { text: 'restart' }, 'heal-1');
  };
}

function report() {
  const claim = (text: string, source: string, quote: string, value: string) => ({
    ...{ kind: 'OBSERVATION', text },
    citations: [{ source, quote }],
    facts: [claimedFact(quote.split(':')[0]!, quote.split(':')[0]!, value)],
  });
  const claims = [
    claim('var is full.', 'T1', 'echo: var is full', 'var is full'),
    claim('The rotation was restarted.', 'T3', 'noted: restart', 'restart'),
  ];
  return { verdict: 'ACTION_REQUIRED', headline: 'var is full.', confidence: 0.9, entities: ['var'], claims };
}

interface Tree {
  status: string;
  finalAnalysis: string;
  executiveSummary: string;
  report: { claims: { text: string }[] } | null;
  stages: { name: string; type: string; status: string }[];
}

async function read(url: string, id: string): Promise<Tree> {
  const { session } = await apiClient(url).query<{ session: Tree }>(
    `query ($id: ID!) { session(id: $id) { status finalAnalysis executiveSummary report { claims { text } }
       stages { name type status } } }`,
    { id },
  );
  return session;
}

async function investigate(composition: ScriptedResponse, options: TestConfigOptions = CHAIN) {
  const app: TestApp = await startTestApp(options);
  stop.push(() => app.stop());
  app.llm.otherwise(answer(composition));
  const api = apiClient(app.url);
  const id = await api.submit('Trouble');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  return { app, session: await read(app.url, id) };
}

const STAGES = [
  ['look', 'INVESTIGATION', 'COMPLETED'],
  ['heal', 'INVESTIGATION', 'COMPLETED'],
  ['Final analysis', 'SYNTHESIS', 'COMPLETED'],
  ['Report', 'REPORT', 'COMPLETED'],
];
const stagesOf = ({ stages }: Tree) => stages.map(({ name, type, status }) => [name, type, status]);

test('the final analysis is composed from the investigation and what was done, and the report is made of it', async () => {
  const { app, session } = await investigate({ text: COMPOSED });
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: COMPOSED });
  expect(stagesOf(session)).toEqual(STAGES);
  const composing = app.llm.requests.filter(isComposition);
  expect(composing).toHaveLength(1);
  const asked = textOf(composing[0]!);
  expect(asked).toContain(INVESTIGATION);
  expect(asked).toContain(MEMO);
  expect(asked).toMatch(/calls of the stages after the first\n\n.*\n\[T3\] completed: tools\.note/);
  const reported = app.llm.requests.find(({ purpose }) => purpose === 'report')!;
  expect(textOf(reported)).toContain(COMPOSED);
  expect(session.report!.claims.map(({ text }) => text)).toEqual([
    'var is full.',
    'The rotation was restarted.',
  ]);
  const summarized = app.llm.requests.find(({ purpose }) => purpose === 'executive_summary')!;
  expect(textOf(summarized)).toMatch(/var is full\.[\s\S]*The rotation was restarted\./);
});

test('without a composition the analyses of the stages stand below each other', async () => {
  const { session } = await investigate({ error: { code: 'invalid_api_key', message: 'no key' } });
  expect(session).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: `## look\n\n${INVESTIGATION}\n\n## heal\n\n${MEMO}`,
  });
  expect(stagesOf(session)[2]).toEqual(['Final analysis', 'SYNTHESIS', 'FAILED']);
});

test('a chain of one stage costs no further call', async () => {
  const { app, session } = await investigate({ text: COMPOSED }, { stages: [CHAIN.stages[0]!] });
  expect(session.finalAnalysis).toBe(INVESTIGATION);
  expect(app.llm.requests.map(({ purpose }) => purpose)).toEqual([
    ...['iteration', 'iteration', 'executive_summary'],
  ]);
});

test('a later stage that fails leaves the investigation', async () => {
  const app = await startTestApp(CHAIN);
  stop.push(() => app.stop());
  app.llm.script({ text: INVESTIGATION }, { error: { code: 'invalid_api_key', message: 'no key' } });
  const api = apiClient(app.url);
  const id = await api.submit('Trouble');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  expect(await read(app.url, id)).toMatchObject({ status: 'FAILED', finalAnalysis: INVESTIGATION });
});

test.each(['composing', 'reporting'])(
  'a worker killed while %s is replaced, and nothing is done twice',
  async (at) => {
    const cluster: Cluster = await startCluster(CHAIN);
    stop.push(() => cluster.stop());
    const isReport = ({ purpose }: GenerateRequest) => purpose === 'report';
    cluster.llm.route(at === 'composing' ? isComposition : isReport, [{ text: 'var ' }, { gate: at }]);
    cluster.llm.otherwise(answer({ text: COMPOSED }));
    const worker = await cluster.startWorker();
    const id = await cluster.api.submit('Trouble');
    await cluster.llm.reached(at);
    await worker.end('SIGKILL');
    await cluster.startWorker();
    await cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
    const session = await read(cluster.apiUrl, id);
    expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: COMPOSED });
    expect(session.report!.claims).toHaveLength(2);
    expect(stagesOf(session)).toEqual(STAGES);
    expect(cluster.llm.requests.filter(isComposition)).toHaveLength(at === 'composing' ? 2 : 1);
    expect(cluster.llm.requests.filter(({ purpose }) => purpose === 'iteration')).toHaveLength(4);
  },
);
