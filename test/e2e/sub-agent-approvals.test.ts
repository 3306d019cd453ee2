import { expect, test, vi } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { approvalsOf, decide, pendingApprovals } from '../helpers/approvals.ts';
import { approvalsSuite } from '../helpers/approvals-suite.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { conversationProblems, type OrchestratedMessage } from '../helpers/orchestrated.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 240_000 }); // on a busy machine, starting an agent's tools takes seconds

const suite = approvalsSuite();
const { start, as, notes, ended } = suite;

const dispatch = (name: string) => toolCall('tarsy.dispatch_agent', { name, task: `As ${name} does.` });
const isOf = ({ messages }: GenerateRequest, name: string) =>
  messages[0]!.content.includes(`You are the agent ${name}.`);
/** The number of answers by the request's model so far. */
const answersIn = ({ messages }: GenerateRequest) =>
  messages.filter(({ role }) => role === 'assistant').length;
/** Returns the response of a model that repeats its text until it receives a sub-agent's end. */
const waits = ({ messages }: GenerateRequest) =>
  messages.some(({ content }) => content.startsWith('Your sub-agent '))
    ? { text: 'Done.' }
    : { text: 'I wait.' };

const LEAF = { description: 'Takes notes', mcp_servers: ['tools'] };

/** Moves the start and all messages of the agents one hour into the past. */
const anHourPasses = async () => {
  await suite.sql.query(`update agent_executions set started_at = started_at - interval '1 hour'`);
  await suite.sql.query(`update messages set created_at = created_at - interval '1 hour'`);
};

interface Execution {
  agentName: string;
  status: string;
  messages: OrchestratedMessage[];
}

async function executionsOf(id: string): Promise<Execution[]> {
  const { session } = await as('ana').query<{ session: { stages: { executions: Execution[] }[] } }>(
    `query ($id: ID!) { session(id: $id) { stages { executions { agentName status
       messages { role content toolCallId toolCalls { id } } } } } }`,
    { id },
  );
  return session.stages.flatMap(({ executions }) => executions);
}

test('a sub-agent that waits for approval resumes with its agent after the decision', async () => {
  await start([], {
    agents: {
      Lead: { sub_agents: ['Leaf', 'Log'] },
      Log: { description: 'Reads logs' },
      Leaf: LEAF,
    },
    stages: [{ name: 'lead', agents: [{ name: 'Lead' }] }],
  });
  suite.app.llm.otherwise((request) => {
    const isFirst = answersIn(request) === 0;
    if (isOf(request, 'Lead')) return isFirst ? [dispatch('Leaf'), dispatch('Log')] : waits(request);
    if (isOf(request, 'Leaf'))
      return isFirst ? toolCall('tools.note', { text: 'clean up' }) : { text: 'It is noted.' };
    return isOf(request, 'Log') ? [{ gate: 'log' }, { text: 'The log grows.' }] : { text: 'In short.' };
  });
  const id = await as('ana').submit('Trouble');
  await expect.poll(() => pendingApprovals(as('ana')), { timeout: 30_000 }).toHaveLength(1);
  suite.app.llm.open('log'); // lets the running agent finish
  await as('ana').waitFor(id, ({ status }) => status === 'WAITING_FOR_APPROVAL');
  expect((await executionsOf(id)).map(({ agentName, status }) => `${agentName} ${status}`)).toEqual([
    ...['Lead ACTIVE', 'Leaf WAITING_FOR_APPROVAL', 'Log COMPLETED'],
  ]);
  const [approval] = await approvalsOf(as('ana'), id);
  await decide(as('ana'), approval!, true);
  expect(await ended(id)).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Done.' });
  const executions = await executionsOf(id);
  expect(executions.map(({ agentName, status }) => [agentName, status])).toEqual([
    ['Lead', 'COMPLETED'],
    ['Leaf', 'COMPLETED'],
    ['Log', 'COMPLETED'],
  ]);
  expect(conversationProblems(executions[0]!.messages, 2)).toEqual([]);
  expect(conversationProblems(executions[1]!.messages, 0)).toEqual([]);
  expect(suite.app.llm.requests.filter((request) => isOf(request, 'Log'))).toHaveLength(1);
});

test("the asker cannot be the only approver of a nested sub-agent's call", async () => {
  await start([], {
    agents: {
      Plain: { mcp_servers: [] },
      Middle: { description: 'Has others work', sub_agents: ['Leaf'] },
      Leaf: LEAF,
    },
    stages: [{ name: 'one', agents: [{ name: 'Plain' }] }],
    chain: { chat: { sub_agents: ['Middle'] } },
  });
  suite.app.llm.otherwise((request) => {
    const has = (tool: string) => request.tools.some(({ name }) => name === tool);
    const isFirst = answersIn(request) === 0;
    if (isOf(request, 'Leaf'))
      return isFirst ? toolCall('tools.note', { text: 'clean up' }) : { text: 'It is noted.' };
    if (has('tarsy.dispatch_agent'))
      return isFirst ? dispatch(isOf(request, 'Middle') ? 'Leaf' : 'Middle') : waits(request);
    return { text: 'In short.' };
  });
  const id = await as('ana').submit('Trouble');
  await ended(id);
  const stage = await askQuestion(as('ana'), id, 'Clean it up.');
  await expect.poll(() => pendingApprovals(as('ana')), { timeout: 30_000 }).toHaveLength(1);
  const [approval] = await approvalsOf(as('ana'), id);
  expect(await decide(as('ana'), approval!, true)).toMatch(
    /^ForbiddenError: The call comes from your own question/,
  );
  expect(await decide(as('bo'), approval!, true)).toBe('APPROVED');
  expect(await waitForStageEnd(as('ana'), id, stage)).toBe('COMPLETED');
  expect(await notes()).toEqual(['clean up']);
});

test('time spent waiting for approval does not count against a sub-agent’s limit', async () => {
  await start([], {
    agents: { Plain: { mcp_servers: [] }, Leaf: LEAF },
    stages: [{ name: 'one', agents: [{ name: 'Plain' }] }],
    chain: { chat: { sub_agents: ['Leaf'] } },
  });
  suite.app.llm.otherwise((request) => {
    const answers = answersIn(request);
    if (isOf(request, 'Leaf'))
      return answers < 2 ? toolCall('tools.note', { text: `${answers}` }) : { text: 'Both are noted.' };
    const isLead = request.tools.some(({ name }) => name === 'tarsy.dispatch_agent');
    if (!isLead) return { text: 'In short.' };
    return answers === 0 ? dispatch('Leaf') : waits(request);
  });
  const id = await as('ana').submit('Trouble');
  await ended(id);
  const stage = await askQuestion(as('ana'), id, 'Note both.');
  for (let times = 0; times < 2; times += 1) {
    await expect.poll(() => pendingApprovals(as('ana')), { timeout: 30_000 }).toHaveLength(1);
    await anHourPasses();
    const [approval] = await pendingApprovals(as('bo'));
    expect(await decide(as('bo'), approval!, true)).toBe('APPROVED');
  }
  expect(await waitForStageEnd(as('ana'), id, stage)).toBe('COMPLETED');
  expect(await notes()).toEqual(['0', '1']);
  expect((await executionsOf(id)).map(({ agentName, status }) => `${agentName} ${status}`)).toContain(
    'Leaf COMPLETED',
  );
});
