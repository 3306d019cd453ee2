import { test as base, expect, vi } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { apiClient, ENDED, type SessionView } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import type { TestConfigOptions } from '../helpers/config.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';

/** Investigations whose time ends while they work. They conclude from what they have. */
vi.setConfig({ testTimeout: 120_000 });

interface Tree {
  health: { earlyConclusions: { agentName: string; reason: string }[]; reportProblem: string | null };
  stages: {
    name: string;
    type: string;
    status: string;
    executions: {
      agentName: string;
      status: string;
      errorMessage: string | null;
      messages: { role: string; content: string }[];
    }[];
  }[];
  timeline: {
    type: string;
    status: string;
    content: string;
    metadata: Record<string, unknown> | null;
  }[];
}

const TREE = `query ($id: ID!) { session(id: $id) { health { earlyConclusions { agentName reason } reportProblem }
  stages { name type status executions { agentName status errorMessage messages { role content } } }
  timeline { type status content metadata } } }`;

/** Long enough for the work before the hang, on a busy machine. The reserve is a quarter of it. */
const LIMIT = { queue: { session_timeout: '32s' } };

type Start = (options: TestConfigOptions) => Promise<TestApp>;

/** Tests run at the same time, because each waits for its time to end. `start` starts an app that ends with its test. */
const test = base.extend<{ start: Start }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads a fixture's dependencies from the pattern
  start: async ({}, use) => {
    const apps: TestApp[] = [];
    await use(async (options) => {
      const app = await startTestApp({ ...LIMIT, ...options });
      apps.push(app);
      return app;
    });
    for (const app of apps) await app.stop();
  },
});

/** Runs an investigation to its end. */
async function investigate(app: TestApp): Promise<SessionView & Tree & { id: string }> {
  const api = apiClient(app.url);
  const id = await api.submit('Trouble');
  const session = await api.waitFor(id, ({ status }) => ENDED.has(status));
  return { ...session, ...(await read(app, id)), id };
}

async function scripted(start: Start, options: TestConfigOptions, ...responses: ScriptedResponse[]) {
  const app = await start(options);
  app.llm.script(...responses);
  return { app, ...(await investigate(app)) };
}

async function read({ url }: TestApp, id: string): Promise<Tree> {
  return (await apiClient(url).query<{ session: Tree }>(TREE, { id })).session;
}

const analysisOf = ({ timeline }: Tree) => timeline.findLast(({ type }) => type === 'FINAL_ANALYSIS');
const lastWords = (request: GenerateRequest) => request.messages.slice(-2).map(({ content }) => content);
const echo = toolCall('tools.echo', { text: 'var is full' });

test.concurrent('a model call that lasts until the reserve is stopped, and the model concludes from its results', async ({
  start,
}) => {
  const { app, ...session } = await scripted(
    start,
    {},
    echo,
    [{ text: 'Let me see' }, { hang: true }],
    { text: 'var is full.' },
    { text: 'Summary.' },
  );
  expect(session).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: 'var is full.',
    executiveSummary: 'Summary.',
  });
  expect(session.health.earlyConclusions).toEqual([{ agentName: 'TestAgent', reason: 'TIME_BUDGET' }]);
  expect(analysisOf(session)!.metadata).toEqual({
    ...{ forced_conclusion: true, reason: 'time_budget' },
    ...{ iterations_used: 1, max_iterations: 5 },
  });
  const asked = app.llm.requests[2]!;
  expect(asked).toMatchObject({ purpose: 'forced_conclusion', tools: [] });
  const [stopped, conclude] = lastWords(asked);
  expect(stopped).toContain('stopped, because you must conclude now');
  expect(stopped).toContain('Let me see');
  expect(conclude).toContain('The time for your work is nearly used up');
  const metrics = await (await fetch(`${app.url}/metrics`)).text();
  expect(metrics).toContain('tarsy_early_conclusions_total{reason="time_budget"} 1');
});

test.concurrent('a tool call that lasts until the reserve is stopped, and the model is told that its outcome is unknown', async ({
  start,
}) => {
  const { app, ...session } = await scripted(
    start,
    {},
    [echo, toolCall('tools.hang')],
    { text: 'var is full.' },
    { text: 'Summary.' },
  );
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'var is full.' });
  const told = app.llm.requests[1]!.messages.filter(({ role }) => role === 'tool');
  expect(told.map(({ content }) => content)).toEqual([
    expect.stringContaining('echo: var is full'),
    expect.stringContaining('stopped because you must conclude now. The outcome is unknown.'),
  ]);
});

test.concurrent('another provider concludes within the reserve if the first stays silent', async ({
  start,
}) => {
  const app = await start({
    queue: { session_timeout: '40s' },
    defaults: { fallback_providers: [{ provider: 'scripted-google' }] },
  });
  const of = (model: string) => (request: GenerateRequest) => request.llmConfig?.model === model;
  app.llm.route(of('scripted-1'), echo, { hang: true }, { hang: true });
  app.llm.route(of('scripted-2'), { text: 'var is full.' }, { text: 'Summary.' });
  const session = await investigate(app);
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'var is full.' });
  expect(session.timeline.find(({ type }) => type === 'PROVIDER_FALLBACK')).toBeDefined();
});

test.concurrent('a session whose model cannot conclude either times out, and lists the stored results', async ({
  start,
}) => {
  const { app: _, ...session } = await scripted(start, {}, echo, { hang: true }, { hang: true });
  expect(session).toMatchObject({
    status: 'TIMED_OUT',
    errorMessage: 'The session came to no conclusion within its limit of 32 s. 1 tool result is stored.',
  });
  expect(session.finalAnalysis).toMatch(/^No model wrote this conclusion, because the time was over\./);
  expect(session.finalAnalysis).toContain('- [T1] tools.echo');
  expect(session.stages).toMatchObject([{ status: 'TIMED_OUT', executions: [{ status: 'TIMED_OUT' }] }]);
  expect(analysisOf(session)!.metadata).toMatchObject({ by_rule: true, reason: 'time_budget' });
});

const LEAD = {
  agents: { Lead: { sub_agents: ['Log'] }, Log: { description: 'Reads logs', mcp_servers: ['tools'] } },
  stages: [{ name: 'lead', agents: [{ name: 'Lead' }] }],
};
const named = (name: string) => `You are the agent ${name}.`;

test.concurrent('a sub-agent without a limit concludes so early that its agent uses the answer', async ({
  start,
}) => {
  const app = await start({ ...LEAD, queue: { session_timeout: '30s' } });
  app.llm.route(named('Log'), echo, { hang: true }, { text: 'The log says that var is full.' });
  app.llm.route(
    named('Lead'),
    toolCall('tarsy.dispatch_agent', { name: 'Log', task: 'Read it.' }),
    { text: 'I wait.' },
    ({ messages }) => ({ text: `Told: ${messages.at(-1)!.content}` }),
  );
  app.llm.otherwise({ text: 'Summary.' });
  const session = await investigate(app);
  expect(session.status).toBe('COMPLETED');
  expect(session.finalAnalysis).toMatch(/^Told: Your sub-agent Log .*has completed its task/);
  expect(session.finalAnalysis).toContain('The log says that var is full.');
  expect(session.health.earlyConclusions).toEqual([{ agentName: 'Log', reason: 'TIME_BUDGET' }]);
});

test.concurrent('what a sub-agent found is told even if its model cannot conclude', async ({ start }) => {
  const app = await start({
    ...LEAD,
    queue: {},
    agents: { ...LEAD.agents, Lead: { sub_agents: ['Log'], orchestrator: { agent_timeout: '20s' } } },
  });
  app.llm.route(named('Log'), echo, { hang: true }, { hang: true });
  app.llm.route(
    named('Lead'),
    toolCall('tarsy.dispatch_agent', { name: 'Log', task: 'Read it.' }),
    { text: 'I wait.' },
    { text: 'It has a result.' },
  );
  app.llm.otherwise({ text: 'Summary.' });
  const session = await investigate(app);
  expect(session.status).toBe('COMPLETED');
  const [lead, log] = session.stages[0]!.executions;
  expect(log).toMatchObject({
    status: 'TIMED_OUT',
    errorMessage: 'The sub-agent came to no conclusion within its limit of 20 s.',
  });
  const told = lead!.messages.find(({ content }) => content.startsWith('Your sub-agent'))!.content;
  expect(told).toContain('reached its time limit');
  expect(told).toMatch(/\[T\d\] tools\.echo/);
});

test.concurrent('an answer concludes before its time is up', async ({ start }) => {
  const { app, id } = await scripted(start, {}, { text: 'The disk is full.' }, { text: 'Summary.' });
  app.llm.script(echo, { hang: true }, { text: 'Because of the logs.' });
  const api = apiClient(app.url);
  expect(await waitForStageEnd(api, id, await askQuestion(api, id, 'Why?'))).toBe('COMPLETED');
  const answer = analysisOf(await read(app, id))!;
  expect(answer).toMatchObject({
    content: 'Because of the logs.',
    metadata: { reason: 'time_budget' },
  });
});

test.concurrent('stages that have not begun when the reserve begins are left out, and the analysis names them', async ({
  start,
}) => {
  const agents = [{ name: 'TestAgent' }];
  const { app, ...session } = await scripted(
    start,
    {
      stages: [
        { name: 'look', agents },
        { name: 'heal', agents },
      ],
    },
    echo,
    { hang: true },
    { text: 'var is full.' },
    { text: 'Summary.' },
  );
  expect(session.status).toBe('COMPLETED');
  expect(session.finalAnalysis).toBe('var is full.\n\nNot run, because the time was nearly used up: heal.');
  expect(session.stages.map(({ name }) => name)).toEqual(['look']);
});

test.concurrent('a report and a summary that take too long do not fail an investigation that has concluded', async ({
  start,
}) => {
  const { app, ...session } = await scripted(
    start,
    { defaults: { report: { enabled: true } } },
    { text: 'var is full.' },
    { hang: true },
    { hang: true },
  );
  expect(session).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: 'var is full.',
    executiveSummary: null,
  });
  const late = /timeout|reached its limit/; // the limit of the session, on a busy machine
  expect(session.executiveSummaryError).toMatch(late);
  expect(session.health.reportProblem).toMatch(late);
  expect(session.stages.map(({ type, status }) => [type, status])).toEqual([
    ['INVESTIGATION', 'COMPLETED'],
    ['REPORT', 'TIMED_OUT'],
  ]);
});

test.concurrent('agents whose synthesis takes too long leave their analyses side by side', async ({
  start,
}) => {
  const looks = [{ name: 'DiskAgent' }, { name: 'LogAgent' }];
  const app = await start({
    agents: { DiskAgent: {}, LogAgent: {} },
    stages: [{ name: 'look', agents: looks }],
  });
  app.llm.route(named('DiskAgent'), { text: 'The disk is full.' });
  app.llm.route(named('LogAgent'), { text: 'The log grows.' });
  app.llm.route('You combine the results', { hang: true });
  app.llm.otherwise({ text: 'Summary.' });
  const session = await investigate(app);
  expect(session).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: '## DiskAgent\n\nThe disk is full.\n\n## LogAgent\n\nThe log grows.',
  });
});
