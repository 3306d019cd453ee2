import { afterEach, expect, test } from 'vitest';
import { apiClient, ENDED, type SessionView } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type ScriptedLlm, toolCall } from '../helpers/scripted-llm/index.ts';

let app: TestApp;
afterEach(() => app.stop());

interface Tree {
  stages: {
    id: string;
    name: string;
    index: number;
    type: string;
    status: string;
    parallelType: string | null;
    successPolicy: string | null;
    expectedAgentCount: number;
    errorMessage: string | null;
    referencedStage: { id: string } | null;
    executions: { agentName: string; agentIndex: number; status: string; iterationStrategy: string }[];
  }[];
}

const AGENTS = {
  DiskAgent: { mcp_servers: ['tools'] },
  LogAgent: { mcp_servers: ['tools'] },
  SynthesisAgent: { custom_instructions: 'Keep it short.' },
};

async function investigate(stages: unknown[], script: (llm: ScriptedLlm) => void) {
  app = await startTestApp({ agents: AGENTS, stages });
  script(app.llm);
  const api = apiClient(app.url);
  const id = await api.submit('Trouble');
  const session: SessionView = await api.waitFor(id, ({ status }) => ENDED.has(status));
  const tree = await api.query<{ session: Tree }>(
    `query ($id: ID!) { session(id: $id) { stages { id name index type status parallelType successPolicy
       expectedAgentCount errorMessage referencedStage { id }
       executions { agentName agentIndex status iterationStrategy } } } }`,
    { id },
  );
  return { session, stages: tree.session.stages };
}

const PARALLEL = [
  { name: 'look', agents: [{ name: 'DiskAgent' }, { name: 'LogAgent' }] },
  { name: 'advise', agents: [{ name: 'TestAgent' }] },
];

const isSynthesis = (request: { messages: { content: string }[] }) =>
  request.messages[0]!.content.startsWith('You combine the results');

test('agents run in parallel, a synthesis joins them, and the next stage builds on it', async () => {
  const { session, stages } = await investigate(PARALLEL, (llm) => {
    // Each agent waits for the other one, so only agents that run in parallel end.
    llm.route(
      'DiskAgent',
      [{ gate: 'both' }, { text: 'Measuring.' }, toolCall('tools.echo', { text: '91 %' })],
      { text: 'The disk is full.' },
    );
    llm.route('LogAgent', [{ gate: 'both' }, { text: 'The log grows.' }]);
    llm.route(isSynthesis, { text: 'The log fills the disk.' });
    llm.route('TestAgent', { text: 'Rotate the log.' });
    llm.route('You compose', { text: 'The log fills the disk. Rotate it.' });
    llm.otherwise({ text: 'Summary.' });
    void llm.reached('both', 2).then(() => llm.open('both'));
  });
  expect(session).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: 'The log fills the disk. Rotate it.',
  });
  expect(stages.map(({ name, index, type, status }) => [index, name, type, status])).toEqual([
    [1, 'look', 'INVESTIGATION', 'COMPLETED'],
    [2, 'look - Synthesis', 'SYNTHESIS', 'COMPLETED'],
    [3, 'advise', 'INVESTIGATION', 'COMPLETED'],
    [4, 'Final analysis', 'SYNTHESIS', 'COMPLETED'],
  ]);
  const [look, synthesis] = stages;
  expect(look).toMatchObject({ parallelType: 'MULTI_AGENT', successPolicy: 'ANY', expectedAgentCount: 2 });
  expect(look!.executions.map(({ agentName, agentIndex }) => [agentIndex, agentName])).toEqual([
    [1, 'DiskAgent'],
    [2, 'LogAgent'],
  ]);
  expect(synthesis!.referencedStage!.id).toBe(look!.id);
  expect(synthesis!.executions).toMatchObject([
    { agentName: 'SynthesisAgent', iterationStrategy: 'SYNTHESIS' },
  ]);

  const request = app.llm.requests.find(isSynthesis)!;
  expect(request).toMatchObject({
    purpose: 'synthesis',
    task: {
      alert: 'Trouble',
      instructions: 'Keep it short.',
      works: [
        {
          stage: 'look',
          agent: 'DiskAgent',
          status: 'completed',
          analysis: 'The disk is full.',
          outputs: [
            { tool: 'tools.echo', arguments: '{"text":"91 %"}', content: 'echo: 91 %', failed: false },
          ],
        },
        { agent: 'LogAgent', status: 'completed', analysis: 'The log grows.', outputs: [] },
      ],
    },
  });
  const asked = request.messages[1]!.content;
  expect(asked).toContain('### Agent 1: DiskAgent');
  expect(asked).toMatch(/\*\*Tool call\*\*: \[T\d+\] tools\.echo \{"text":"91 %"\}\n\nResult:\necho: 91 %/);
  expect(asked).toContain('**Final analysis**\n\nThe log grows.');
  const next = app.llm.requests.find(({ messages }) => messages[0]!.content.includes('agent TestAgent'))!;
  expect(next.messages[1]!.content).toContain('The log fills the disk.');
  expect(next.messages[1]!.content).not.toContain('The log grows.');
  expect(next.task!.works).toMatchObject([{ stage: 'look', agent: '', analysis: 'The log fills the disk.' }]);
  app.llm.assertNoUnusedScripts();
});

test('with the policy any, one result is enough, and the synthesis receives the failure', async () => {
  const { session, stages } = await investigate(PARALLEL.slice(0, 1), (llm) => {
    llm.route('DiskAgent', { error: { code: 'invalid_api_key', message: 'no key' } });
    llm.route('LogAgent', { text: 'The log grows.' });
    llm.route(isSynthesis, { text: 'Only the log is known.' });
    llm.otherwise({ text: 'Summary.' });
  });
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Only the log is known.' });
  expect(stages[0]).toMatchObject({ status: 'COMPLETED', errorMessage: null });
  expect(stages[0]!.executions.map(({ status }) => status)).toEqual(['FAILED', 'COMPLETED']);
  const asked = app.llm.requests.find(isSynthesis)!.messages[1]!.content;
  expect(asked).toContain('status failed');
  expect(asked).toContain('no key');
  expect(app.llm.requests.find(isSynthesis)!.task!.works[0]).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('no key'),
    analysis: '',
  });
});

test('with the policy all, one failure fails stage and session, and no stage follows', async () => {
  const strict = PARALLEL.map((stage, n) => (n === 0 ? { ...stage, success_policy: 'all' } : stage));
  const { session, stages } = await investigate(strict, (llm) => {
    llm.route('DiskAgent', { error: { code: 'invalid_api_key', message: 'no key' } });
    llm.route('LogAgent', { text: 'The log grows.' });
  });
  expect(session.status).toBe('FAILED');
  expect(stages).toHaveLength(1);
  expect(stages[0]).toMatchObject({ status: 'FAILED', successPolicy: 'ALL' });
  expect(stages[0]!.errorMessage).toContain('1 of 2 agents did not complete (all must complete)');
  expect(stages[0]!.errorMessage).toContain('DiskAgent (failed)');
});

test('numbers the replicas of an agent, and a failed synthesis fails the session', async () => {
  const { session, stages } = await investigate(
    [{ name: 'look', agents: [{ name: 'DiskAgent' }], replicas: 3 }],
    (llm) => {
      llm.route(
        (request) => request.messages[0]!.content.includes('You are the agent DiskAgent-'),
        ...Array.from({ length: 3 }, () => ({ text: 'Full.' })),
      );
      llm.route(isSynthesis, { error: { code: 'safety_stop', message: 'no' } });
    },
  );
  expect(session).toMatchObject({ status: 'FAILED', errorMessage: 'safety_stop: no' });
  expect(stages[0]).toMatchObject({ parallelType: 'REPLICA', expectedAgentCount: 3, status: 'COMPLETED' });
  expect(stages[0]!.executions.map(({ agentName }) => agentName)).toEqual([
    'DiskAgent-1',
    'DiskAgent-2',
    'DiskAgent-3',
  ]);
  expect(stages[1]).toMatchObject({ type: 'SYNTHESIS', status: 'FAILED' });
});
