import { afterEach, expect, test, vi } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { concludeSession } from '../helpers/hints.ts';
import { claimedFact } from '../helpers/report.ts';
import { type ScriptedResponse, type Step, toolCall } from '../helpers/scripted-llm/index.ts';

/** Chains that begin with the offline rules and ask a model only if the rules are inconclusive. */
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
    { name: 'rules', llm_provider: 'offline', escalate: 'inconclusive', agents },
    { name: 'investigate', agents },
  ],
};
const CLAIM = {
  ...{ kind: 'OBSERVATION', text: 'var is empty.' },
  citations: [{ source: 'T1', quote: 'echo: var is empty' }],
  facts: [claimedFact('echo', 'echo', 'var is empty')],
};
const PROVEN = {
  ...{ verdict: 'NO_ACTION', headline: 'var is empty.', confidence: 0.5 }, // just enough
  ...{ entities: ['var'], claims: [CLAIM] },
};
const OF_THE_MODEL = { ...PROVEN, verdict: 'ACTION_REQUIRED', headline: 'By the model.', confidence: 0.3 };

const isOfRules = ({ llmConfig }: GenerateRequest) => llmConfig?.provider === 'offline';

/** Answers from the request alone, so that a call repeated after a crash gets an equal answer. */
const answer =
  (byRules: ScriptedResponse) =>
  (request: GenerateRequest): Step | readonly Step[] => {
    const who = isOfRules(request) ? 'rules' : 'model';
    if (request.purpose === 'report')
      return who === 'rules' ? (byRules as Step | Step[]) : toolCall('submit_report', OF_THE_MODEL, 'report');
    if (request.purpose === 'executive_summary') return { text: `Summary of the ${who}.` };
    const isCalled = request.messages.some(({ role }) => role === 'tool');
    if (isCalled) return { text: `Analysis of the ${who} [T1].` };
    return toolCall('tools.echo', { text: 'var is empty' }, `${who}-1`);
  };
const submitted = (report: Record<string, unknown>) => toolCall('submit_report', report, 'report');

async function read(url: string, id: string) {
  const { session } = await apiClient(url).query<{
    session: {
      finalAnalysis: string;
      executiveSummary: string;
      report: { verdict: string; headline: string } | null;
      health: { reportProblem: string | null };
      stages: { name: string; type: string }[];
    };
  }>(
    `query ($id: ID!) { session(id: $id) { finalAnalysis executiveSummary report { verdict headline }
       health { reportProblem } stages { name type } } }`,
    { id },
  );
  return { ...session, stages: session.stages.map(({ name }) => name) };
}

async function investigate(byRules: ScriptedResponse) {
  const app: TestApp = await startTestApp(CHAIN);
  stop.push(() => app.stop());
  app.llm.otherwise(answer(byRules));
  const api = apiClient(app.url);
  const id = await api.submit('Trouble');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  return { app, session: await read(app.url, id) };
}

test('a conclusive report of the rules ends the chain, and no model is asked', async () => {
  const { app, session } = await investigate(submitted(PROVEN));
  expect(session).toEqual({
    finalAnalysis:
      'Analysis of the rules [T1].\n\nNot run, because this analysis is conclusive: investigate.',
    executiveSummary: 'Summary of the rules.',
    report: { verdict: 'NO_ACTION', headline: 'var is empty.' },
    health: { reportProblem: null },
    stages: ['rules', 'rules - Report'],
  });
  expect(app.llm.requests.filter((request) => !isOfRules(request))).toEqual([]);
});

test('an inconclusive analysis stands if a responder asks for a conclusion before the model begins', async () => {
  const app: TestApp = await startTestApp(CHAIN);
  stop.push(() => app.stop());
  const inconclusive = { ...PROVEN, verdict: 'INCONCLUSIVE', confidence: 0 };
  app.llm.otherwise(answer([{ gate: 'report' }, submitted(inconclusive)]));
  const api = apiClient(app.url);
  const id = await api.submit('Trouble');
  await app.llm.reached('report');
  expect(await concludeSession(api, id)).toEqual({ __typename: 'ConcludeSessionSuccess' });
  app.llm.open('report');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: expect.stringMatching(
      /^Analysis of the rules \[T1\]\.\n\nNot run, because a responder asked for a conclusion: investigate\.$/,
    ),
  });
});

test.each([
  ['says so', { ...PROVEN, verdict: 'INCONCLUSIVE', confidence: 0 }],
  ['is uncertain', { ...PROVEN, verdict: 'ACTION_REQUIRED', confidence: 0.4 }],
  ['has a claim that is not proven', { ...PROVEN, claims: [CLAIM, { ...CLAIM, text: 'var has 7 files.' }] }],
  ['has no claim', { ...PROVEN, claims: [] }],
  ['cannot be read', { verdict: 'FINE' }],
])('a model investigates if the report of the rules %s', async (_, report) => {
  const { app, session } = await investigate(submitted(report));
  expect(session).toEqual({
    finalAnalysis: 'Analysis of the model [T1].',
    executiveSummary: 'Summary of the model.',
    report: { verdict: 'ACTION_REQUIRED', headline: 'By the model.' },
    health: { reportProblem: null },
    stages: ['rules', 'rules - Report', 'investigate', 'Report'],
  });
  const first = app.llm.requests.find((request) => !isOfRules(request))!;
  expect(first.messages.map(({ content }) => content).join('\n')).toContain('Analysis of the rules');
});

test.each(['conclusive', 'inconclusive'])(
  'a worker killed during a %s report of the rules is replaced, and the report decides once',
  async (kind) => {
    const cluster: Cluster = await startCluster(CHAIN);
    stop.push(() => cluster.stop());
    const report = kind === 'conclusive' ? PROVEN : { ...PROVEN, confidence: 0 };
    cluster.llm.route(
      (request) => isOfRules(request) && request.purpose === 'report',
      [{ text: 'var ' }, { gate: 'report' }],
    );
    cluster.llm.otherwise(answer(submitted(report)));
    const worker = await cluster.startWorker();
    const id = await cluster.api.submit('Trouble');
    await cluster.llm.reached('report');
    await worker.end('SIGKILL');
    await cluster.startWorker();
    await cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
    const { stages } = await read(cluster.apiUrl, id);
    expect(stages).toHaveLength(kind === 'conclusive' ? 2 : 4);
    expect(cluster.llm.requests.filter(({ purpose }) => purpose === 'iteration')).toHaveLength(
      kind === 'conclusive' ? 2 : 4,
    );
  },
);
