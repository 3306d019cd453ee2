import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import {
  conversationProblems,
  endsOf,
  ORCHESTRATED,
  ORCHESTRATED_ENDS,
  type OrchestratedMessage,
  orchestratedAnswer,
} from '../helpers/orchestrated.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** Time limit of a test (ms): agents take turns, and the machine may be busy. */
const timeout = 120_000;

let app: TestApp;
afterEach(() => app.stop());

interface Execution {
  id: string;
  agentName: string;
  agentIndex: number;
  status: string;
  errorMessage: string | null;
  task: string | null;
  parent: { agentName: string } | null;
  timeline: { type: string; content: string }[];
  messages: OrchestratedMessage[];
}

async function executionsOf(api: ApiClient, id: string): Promise<Execution[]> {
  const { session } = await api.query<{ session: { stages: { executions: Execution[] }[] } }>(
    `query ($id: ID!) { session(id: $id) { stages { executions { id agentName agentIndex status errorMessage task
       parent { agentName } timeline { type content } messages { role content toolCallId toolCalls { id } } } } } }`,
    { id },
  );
  return session.stages.flatMap(({ executions }) => executions);
}

async function investigate(more: Record<string, unknown> = {}) {
  const api = apiClient(app.url);
  const id = await api.submit('Trouble', more);
  const session = await api.waitFor(id, ({ status }) => ENDED.has(status));
  const executions = await executionsOf(api, id);
  return {
    api,
    id,
    session,
    executions,
    of: (name: string) => executions.find(({ agentName }) => agentName === name)!,
  };
}

test('sub-agents run in parallel, each end is reported once, and the agent waits for the outstanding ones', {
  timeout,
}, async () => {
  app = await startTestApp(ORCHESTRATED);
  app.llm.otherwise(orchestratedAnswer);
  const { session, executions, of } = await investigate();
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'All are heard.' });
  expect(endsOf(executions)).toEqual(ORCHESTRATED_ENDS);
  expect(
    executions.map(({ agentIndex, agentName, parent }) => [agentIndex, agentName, parent?.agentName]),
  ).toEqual([
    [1, 'Lead', undefined],
    [2, 'Waiter', 'Lead'],
    [3, 'Slow', 'Lead'],
    [4, 'Middle', 'Lead'],
    [5, 'Leaf', 'Middle'],
  ]);
  expect(conversationProblems(of('Lead').messages, 3)).toEqual([]);
  expect(conversationProblems(of('Middle').messages, 1)).toEqual([]);
  const told = of('Lead')
    .messages.map(({ content }) => content)
    .join('\n');
  expect(told).toContain(`Your sub-agent Waiter (${uuidOf(of('Waiter').id)}) was cancelled.`);
  expect(told).toContain('reached its time limit');
  expect(told).toMatch(
    /Middle \([\w-]+\) has completed its task\. Answer:\n\n-----BEGIN AGENT RESULT-----\nThe leaf has noted it\./,
  );
  // The task is the first item of the sub-agent's timeline, and its model receives the task with the alert.
  expect(of('Leaf')).toMatchObject({ task: 'Do what Leaf does.' });
  expect(of('Leaf').timeline[0]).toEqual({ type: 'SUBAGENT_TASK', content: 'Do what Leaf does.' });
  expect(of('Leaf').messages[1]!.content).toMatch(
    /BEGIN ALERT DATA-----\nTrouble[\s\S]*BEGIN AGENT TASK-----\nDo what Leaf does\./,
  );
  expect(of('Lead').timeline.filter(({ type }) => type === 'FINAL_ANALYSIS')).toHaveLength(1);
});

function uuidOf(globalId: string): string {
  return Buffer.from(globalId, 'base64').toString().split(':').at(-1)!;
}

const named = (name: string) => `You are the agent ${name}.`;
const dispatch = (name: string) => toolCall('tarsy.dispatch_agent', { name, task: `As ${name} does.` });
/**
 * Returns the response of a model that repeats its text until it receives the ends of this many sub-agents.
 */
const waits = (request: GenerateRequest) =>
  request.messages.some(({ content }) => content.startsWith('Your sub-agent '))
    ? { text: 'Done.' }
    : { text: 'I wait.' };

test("a sub-agent's failure is reported to its agent", { timeout }, async () => {
  app = await startTestApp({
    agents: { Lead: { sub_agents: ['Log'] }, Log: { description: 'Reads logs' } },
    stages: [{ name: 'lead', agents: [{ name: 'Lead' }] }],
  });
  app.llm.route(named('Lead'), dispatch('Log'), waits, waits);
  app.llm.route(named('Log'), { error: { code: 'invalid_api_key', message: 'no key' } });
  app.llm.otherwise({ text: 'In short.' });
  const { session, of } = await investigate();
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Done.' });
  expect(of('Log')).toMatchObject({ status: 'FAILED' });
  expect(of('Lead').messages.at(-2)!.content).toMatch(
    /^Your sub-agent Log \([\w-]+\) has failed\.\n\n-----BEGIN AGENT ERROR-----\n[\s\S]*no key/,
  );
});

test('a question includes the findings of each sub-agent under its own name and parent', {
  timeout,
}, async () => {
  app = await startTestApp({
    agents: { Lead: { sub_agents: ['Log'] }, Log: { description: 'Reads logs' } },
    stages: [{ name: 'lead', agents: [{ name: 'Lead' }] }],
  });
  app.llm.route(named('Lead'), dispatch('Log'), waits, waits);
  app.llm.route(named('Log'), { text: 'The log has no errors.' });
  app.llm.otherwise({ text: 'In short.' });
  const { api, id } = await investigate();
  await waitForStageEnd(api, id, await askQuestion(api, id, 'Who read the log?'));
  const question = app.llm.requests.findLast(({ messages }) =>
    messages.some(({ content }) => content.includes('Who read the log?')),
  )!;
  const told = question.messages.map(({ content }) => content).join('\n');
  expect(told).toMatch(/1\. lead · Lead\n[\s\S]*1\. lead · Lead → Log\n[\s\S]*The log has no errors\./);
});

test('a failing agent cancels its sub-agents', { timeout }, async () => {
  app = await startTestApp({
    agents: { Lead: { sub_agents: ['Log'] }, Log: { description: 'Reads logs' } },
    stages: [{ name: 'lead', agents: [{ name: 'Lead' }] }],
  });
  app.llm.route(named('Lead'), dispatch('Log'), [
    { gate: 'log' },
    { error: { code: 'invalid_api_key', message: 'no key' } },
  ]);
  app.llm.route(named('Log'), [{ gate: 'at work' }, { hang: true }]);
  app.llm.open('at work');
  void app.llm.reached('at work').then(() => app.llm.open('log'));
  const { session, of } = await investigate();
  expect(session.status).toBe('FAILED');
  expect(of('Log')).toMatchObject({
    status: 'CANCELLED',
    errorMessage: 'The agent that gave it its task has ended.',
  });
});

test('cancelling a session cancels all of them', { timeout }, async () => {
  app = await startTestApp(ORCHESTRATED);
  app.llm.route(
    named('Lead'),
    ['Waiter', 'Middle'].map((name) => dispatch(name)),
    [{ gate: 'all' }, { hang: true }],
  );
  app.llm.route(named('Middle'), dispatch('Leaf'), { hang: true });
  app.llm.route(named('Leaf'), [{ gate: 'all' }, { hang: true }]);
  app.llm.route(named('Waiter'), [{ gate: 'all' }, { hang: true }]);
  const api = apiClient(app.url);
  const id = await api.submit('Trouble');
  await app.llm.reached('all', 3);
  await api.query('mutation ($id: ID!) { cancelSession(id: $id) { __typename } }', { id });
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const executions = await executionsOf(api, id);
  expect(executions.map(({ agentName, status }) => `${agentName} ${status}`)).toEqual([
    ...['Lead CANCELLED', 'Waiter CANCELLED', 'Middle CANCELLED', 'Leaf CANCELLED'],
  ]);
});

test('enforces limits: number, time of one, time of all', { timeout }, async () => {
  const slow = { description: 'Takes long' };
  app = await startTestApp({
    agents: {
      Lead: { sub_agents: ['Middle'], max_iterations: 9, orchestrator: { max_agents: 2 } },
      Middle: { ...slow, sub_agents: ['Slow'], max_iterations: 9, orchestrator: { agent_timeout: '100ms' } },
      Late: { sub_agents: ['Slow'], orchestrator: { max_budget: '1s' } },
      Slow: slow,
    },
    stages: ['Lead', 'Late'].map((name) => ({ name, agents: [{ name }] })),
  });
  app.llm.otherwise((request) => {
    const said = (words: string) => request.messages.some(({ content }) => content.includes(words));
    if (said(named('Slow'))) return { hang: true };
    if (said(named('Middle'))) return said('works on it as') ? waits(request) : dispatch('Slow');
    // The nested sub-agent counts towards the limit too.
    if (said(named('Lead')) && said('All 2 sub-agents')) return { text: 'Alone, then.' };
    if (said(named('Lead')))
      return said('works on it as') && !said('Your sub-agent') ? waits(request) : dispatch('Middle');
    if (said(named('Late')))
      return said('works on it as') || said('is over') ? waits(request) : dispatch('Slow');
    return { text: 'In short.' };
  });
  const { session, executions } = await investigate();
  expect(session.status).toBe('COMPLETED');
  const [lead, middle, slow1, late, ...others] = executions;
  const slower = others.filter(({ agentName }) => agentName === 'Slow');
  expect([lead, middle, slow1, late].map((one) => [one!.agentName, one!.status])).toEqual([
    ['Lead', 'COMPLETED'],
    ['Middle', 'COMPLETED'],
    ['Slow', 'TIMED_OUT'],
    ['Late', 'COMPLETED'],
  ]);
  expect(slow1!.errorMessage).toBe('The sub-agent came to no conclusion within its limit of 100 ms.');
  expect(lead!.messages.at(-1)!.content).toBe('Alone, then.');
  // On a busy machine, the time limit may be over before the sub-agent starts.
  for (const { status, errorMessage } of slower) {
    expect({ status, errorMessage }).toEqual({
      status: 'TIMED_OUT',
      errorMessage: 'The sub-agent came to no conclusion within its limit of 1 s.',
    });
  }
});

test('a model without function calling has sub-agents too, and the alert’s tool selection applies to them', {
  timeout,
}, async () => {
  app = await startTestApp({
    agents: {
      Lead: { sub_agents: ['Log'], iteration_strategy: 'react' },
      Log: { description: 'Reads logs', mcp_servers: ['tools'] },
    },
    stages: [{ name: 'lead', agents: [{ name: 'Lead' }] }],
  });
  const input = JSON.stringify({ name: 'Log', task: 'Read them.' });
  app.llm.otherwise((request) => {
    const { messages } = request;
    if (!messages[0]!.content.includes(named('Lead'))) return { text: 'The log grows.' };
    if (!messages.some(({ role }) => role === 'assistant'))
      return { text: `Thought: Ask.\nAction: tarsy.dispatch_agent\nAction Input: ${input}` };
    const isTold = messages.some(({ content }) => content.startsWith('Your sub-agent Log'));
    return { text: `Thought: Enough.\nFinal Answer: ${isTold ? 'It is the log.' : 'I wait.'}` };
  });
  const { session, of } = await investigate({ mcp: { servers: [{ name: 'tools', tools: ['echo'] }] } });
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'It is the log.' });
  expect(conversationProblems(of('Lead').messages, 1)).toEqual([]);
  const asked = app.llm.requests.find(({ messages }) => messages[0]!.content.includes(named('Log')))!;
  const given = asked.tools.map(({ name }) => name).filter((name) => !name.startsWith('tarsy.'));
  expect(given).toEqual(['tools.echo']);
});

test('starts only as many tasks of one answer as may run at once, and a failed start takes no slot', {
  timeout,
}, async () => {
  app = await startTestApp({
    agents: {
      Lead: { sub_agents: ['Odd', 'Log'], orchestrator: { max_concurrent_agents: 1, max_agents: 2 } },
      Log: { description: 'Reads logs' },
      Odd: { description: 'Cannot be stored' },
    },
    stages: [{ name: 'lead', agents: [{ name: 'Lead' }] }],
  });
  const sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
  await sql.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
  );
  await sql.query(`create trigger refuse before insert on agent_executions for each row
    when (new.agent_name = 'Odd') execute function refuse()`);
  await sql.end();
  const logs = ['Log', 'Log', 'Log', 'Log'].map(dispatch);
  // The first task ends only after the agent has the results of all four calls.
  const opens = (request: GenerateRequest) => {
    app.llm.open('log');
    return waits(request);
  };
  app.llm.route(named('Lead'), dispatch('Odd'), logs, opens, waits);
  app.llm.route(named('Log'), [{ gate: 'log' }, { text: 'The log grows.' }]);
  app.llm.otherwise({ text: 'In short.' });
  const { session, executions, of } = await investigate();
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Done.' });
  expect(executions.map(({ agentName }) => agentName)).toEqual(['Lead', 'Log']);
  const told = of('Lead').messages.filter(({ role }) => role === 'TOOL');
  expect(
    told.map(({ content }) => /refused|works on it|been given tasks|are working/.exec(content)?.[0]),
  ).toEqual(['refused', 'works on it', ...Array.from({ length: 3 }, () => 'are working')]);
});
