import { afterEach, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import {
  conversationProblems,
  ORCHESTRATED,
  ORCHESTRATED_ENDS,
  type OrchestratedMessage,
  orchestratedAnswer,
} from '../helpers/orchestrated.ts';

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

test('sub-agents work side by side, each end is told once, and the agent waits for what it is not told yet', async () => {
  app = await startTestApp(ORCHESTRATED);
  app.llm.otherwise(orchestratedAnswer);
  const { session, executions, of } = await investigate();
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'All are heard.' });
  expect(executions.map(({ agentName, status }) => [agentName, status]).sort()).toEqual(ORCHESTRATED_ENDS);
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
  expect(told).toContain('ran out of time');
  expect(told).toMatch(
    /Middle \([\w-]+\) has done its task\. It answers:\n\n-----BEGIN AGENT RESULT-----\nThe leaf has noted it\./,
  );
  // Its task is the first thing in its timeline, and goes with the alert to its model.
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
