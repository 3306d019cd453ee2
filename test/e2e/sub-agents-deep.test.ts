import { afterEach, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { conversationProblems, endsOf, type OrchestratedMessage } from '../helpers/orchestrated.ts';
import { type Step, toolCall } from '../helpers/scripted-llm/index.ts';

/** Time limit of a test (ms): twenty agents take turns, and the machine may be busy. */
const timeout = 180_000;

/** How many sub-agents each agent starts: 4, then 2 for each, then 1 for each, 20 in all. */
const STARTS: Readonly<Record<string, { name: string; count: number }>> = {
  Lead: { name: 'First', count: 4 },
  First: { name: 'Second', count: 2 },
  Second: { name: 'Third', count: 1 },
};
const DEEPEST = 8;

const DEEP = {
  queue: { max_attempts: 20 },
  defaults: { orchestrator: { max_agents: 20, max_concurrent_agents: 20 }, max_iterations: 40 },
  agents: {
    Lead: { sub_agents: ['First'] },
    First: { description: 'Splits', sub_agents: ['Second'] },
    Second: { description: 'Splits again', sub_agents: ['Third'] },
    Third: { description: 'Looks' },
  },
  stages: [{ name: 'lead', agents: [{ name: 'Lead' }] }],
};

let cluster: Cluster;
afterEach(() => cluster.stop());

/** Answers from the conversation alone. The deepest agents wait at a gate. */
function answer({ messages }: GenerateRequest): Step | readonly Step[] {
  const name = /You are the agent (\w+)\./.exec(messages[0]!.content)?.[1];
  if (name === 'Third') return [{ gate: 'deep' }, { text: 'Seen.' }];
  const starts = STARTS[name ?? ''];
  if (starts === undefined) return { text: 'In short.' };
  const told = messages.filter(({ content }) => content.startsWith('Your sub-agent ')).length;
  if (messages.some(({ role }) => role === 'assistant'))
    return { text: told < starts.count ? `Heard of ${told}.` : `${name} has heard of all.` };
  return Array.from({ length: starts.count }, (_, n) =>
    toolCall('tarsy.dispatch_agent', { name: starts.name, task: `Part ${n}.` }, `call-${n}`),
  );
}

interface Execution {
  agentName: string;
  status: string;
  errorMessage: string | null;
  parent: { agentName: string } | null;
  messages: OrchestratedMessage[];
}

async function executionsOf(id: string): Promise<Execution[]> {
  const { session } = await cluster.api.query<{ session: { stages: { executions: Execution[] }[] } }>(
    `query ($id: ID!) { session(id: $id) { stages { executions { agentName status errorMessage parent { agentName }
       messages { role content toolCallId toolCalls { id } } } } } }`,
    { id },
  );
  return session.stages.flatMap(({ executions }) => executions);
}

async function submitDeep(): Promise<string> {
  cluster = await startCluster(DEEP);
  cluster.llm.otherwise(answer);
  return cluster.api.submit('Trouble');
}

test('twenty sub-agents on three levels survive two killed workers', { timeout }, async () => {
  const id = await submitDeep();
  for (const attempt of [1, 2]) {
    const worker = await cluster.startWorker();
    await cluster.llm.reached('deep', attempt * DEEPEST);
    await worker.end('SIGKILL');
  }
  await cluster.startWorker();
  cluster.llm.open('deep');
  expect(await cluster.api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: 'Lead has heard of all.',
  });
  const executions = await executionsOf(id);
  const ends = endsOf(executions).map((end) => end.join(' '));
  expect(Object.entries(Object.groupBy(ends, (end) => end)).map(([end, all]) => [end, all!.length])).toEqual([
    ['First COMPLETED  Lead', 4],
    ['Lead COMPLETED  ', 1],
    ['Second COMPLETED  First', 8],
    ['Third COMPLETED  Second', 8],
  ]);
  for (const { agentName, messages } of executions)
    expect(conversationProblems(messages, STARTS[agentName]?.count ?? 0)).toEqual([]);
});

test('a cancellation ends twenty sub-agents on three levels', { timeout }, async () => {
  const id = await submitDeep();
  await cluster.startWorker();
  await cluster.llm.reached('deep', DEEPEST);
  await cluster.api.query('mutation ($id: ID!) { cancelSession(id: $id) { __typename } }', { id });
  expect(await cluster.api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({
    status: 'CANCELLED',
  });
  const executions = await executionsOf(id);
  expect(executions.map(({ status }) => status)).toEqual(Array(21).fill('CANCELLED'));
});
