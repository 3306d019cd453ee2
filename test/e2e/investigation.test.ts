import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

let app: TestApp;
let api: ApiClient;

beforeAll(async () => {
  app = await startTestApp();
  api = apiClient(app.url);
});
afterAll(() => app.stop());

test('investigates an alert with tools, stage by stage, up to an analysis and a summary', async () => {
  app.llm.script(
    [
      { thinking: ['Let me ', 'look.'] },
      { text: 'Checking.' },
      toolCall('tools.echo', { text: 'hi' }),
      toolCall('tools.fail'),
    ],
    [{ text: ['The cause ', 'is known.'] }],
    { text: 'In short: known.' },
  );
  const id = await api.submit('Something broke');
  const session = await api.waitFor(id, ({ status }) => ENDED.has(status));

  expect(session).toMatchObject({
    status: 'COMPLETED',
    errorMessage: null,
    finalAnalysis: 'The cause is known.',
    executiveSummary: 'In short: known.',
    executiveSummaryError: null,
  });
  const { session: stored } = await api.query<{ session: StoredSession }>(
    `query ($id: ID!) { session(id: $id) {
       alertData tokenUsage { totalTokens }
       stages { name index status executions { agentName status messages { sequenceNumber role content toolCalls { name } toolName } } }
       timeline { sequenceNumber type status content } } }`,
    { id },
  );
  expect(stored.alertData).toBe('Something broke');
  expect(stored.tokenUsage.totalTokens).toBe(45);
  expect(stored.stages.map(({ name, index, status }) => ({ name, index, status }))).toEqual([
    { name: 'investigation', index: 1, status: 'COMPLETED' },
  ]);
  expect(stored.timeline).toEqual([
    { sequenceNumber: 1, type: 'LLM_THINKING', status: 'COMPLETED', content: 'Let me look.' },
    { sequenceNumber: 2, type: 'LLM_RESPONSE', status: 'COMPLETED', content: 'Checking.' },
    { sequenceNumber: 3, type: 'LLM_TOOL_CALL', status: 'COMPLETED', content: 'echo: hi' },
    { sequenceNumber: 4, type: 'LLM_TOOL_CALL', status: 'FAILED', content: 'this tool always fails' },
    { sequenceNumber: 5, type: 'FINAL_ANALYSIS', status: 'COMPLETED', content: 'The cause is known.' },
    { sequenceNumber: 6, type: 'EXECUTIVE_SUMMARY', status: 'COMPLETED', content: 'In short: known.' },
  ]);
  const [execution] = stored.stages[0]!.executions;
  expect(execution!.messages.map(({ role, toolName }) => [role, toolName])).toEqual([
    ['SYSTEM', null],
    ['USER', null],
    ['ASSISTANT', null],
    ['TOOL', 'tools.echo'],
    ['TOOL', 'tools.fail'],
    ['ASSISTANT', null],
  ]);
  app.llm.assertNoUnusedScripts();
  // Without tracing, calls belong to no trace.
  expect(app.llm.calls.map(({ traceparent }) => traceparent)).toEqual([null, null, null]);
});

interface StoredSession {
  alertData: string;
  tokenUsage: { totalTokens: number };
  stages: {
    name: string;
    index: number;
    status: string;
    executions: {
      agentName: string;
      status: string;
      messages: { role: string; toolName: string | null }[];
    }[];
  }[];
  timeline: unknown[];
}
