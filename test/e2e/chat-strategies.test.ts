import { afterEach, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';

/** Tests that a question is answered with the strategy of the chat, or else with that of the chain. */
let app: TestApp;
let api: ApiClient;
afterEach(() => app.stop());

interface Answer {
  executions: {
    status: string;
    iterationStrategy: string;
    llmProvider: string;
    messages: { role: string; content: string }[];
    timeline: { type: string; status: string; content: string; metadata: unknown }[];
  }[];
}

/** Returns the metadata of thoughts, which tells their origin: the provider, or the model's text. */
const thoughts = ({ timeline }: Answer['executions'][number]) =>
  timeline.filter(({ type }) => type === 'LLM_THINKING').map(({ metadata }) => metadata);

/** Runs an investigation that ends at once, then asks a question whose answer is scripted. */
async function answered(chat: Record<string, unknown>, ...responses: ScriptedResponse[]) {
  app = await startTestApp({
    agents: { ChatAgent: { native_tools: { code_execution: true } } },
    chain: { chat: { enabled: true, agent: 'ChatAgent', ...chat } },
  });
  api = apiClient(app.url);
  app.llm.script({ text: 'The disk is full.' }, { text: 'Summary.' });
  const id = await api.submit('Disk trouble');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  app.llm.script(...responses);
  const status = await waitForStageEnd(api, id, await askQuestion(api, id, 'Which directory?'));
  const { session } = await api.query<{ session: { stages: Answer[] } }>(
    `query ($id: ID!) { session(id: $id) { stages { executions { status iterationStrategy llmProvider
       messages { role content } timeline { type status content metadata } } } } }`,
    { id },
  );
  app.llm.assertNoUnusedScripts();
  return { id, status, execution: session.stages[1]!.executions[0]!, requests: app.llm.requests.slice(2) };
}

test('a model without function calling answers with tools named in its text', async () => {
  const { status, execution, requests } = await answered(
    { iteration_strategy: 'react' },
    {
      text: 'Thought: Which is it?\nAction: tools.echo\nAction Input: {"text": "var"}\nObservation: made up',
    },
    { text: ['Thought: Now I know.\nFinal ', 'Answer: It is /var.'] },
  );
  expect(status).toBe('COMPLETED');
  expect(execution).toMatchObject({ status: 'COMPLETED', iterationStrategy: 'REACT' });
  expect(execution.timeline.map(({ type, status: end, content }) => [type, end, content])).toEqual([
    ['LLM_THINKING', 'COMPLETED', 'Which is it?'],
    ['LLM_TOOL_CALL', 'COMPLETED', 'echo: var'],
    ['LLM_THINKING', 'COMPLETED', 'Now I know.'],
    ['FINAL_ANALYSIS', 'COMPLETED', 'It is /var.'],
  ]);
  expect(thoughts(execution)).toEqual([{ source: 'react' }, { source: 'react' }]);
  expect(execution.messages.map(({ role }) => role)).toEqual([
    'SYSTEM',
    'USER',
    'ASSISTANT',
    'USER',
    'ASSISTANT',
  ]);
  expect(execution.messages[2]!.content).not.toContain('made up');
  const [first] = requests;
  expect(first).toMatchObject({ tools: [], llmConfig: { backend: 'langchain' } });
  expect(first!.messages[0]!.content).toContain('## The form of your responses');
  expect(first!.messages[0]!.content).toContain('- tools.echo: Says the text again');
  for (const known of ['Disk trouble', 'The disk is full.', 'Summary.', 'Which directory?']) {
    expect(first!.messages[1]!.content).toContain(known);
  }
});

test('a model without function calling concludes at the iteration cap from its findings', async () => {
  const call = { text: 'Thought: Look.\nAction: tools.echo\nAction Input: {"text": "var"}' };
  const { status, execution } = await answered({ iteration_strategy: 'react', max_iterations: 1 }, call, {
    text: 'Thought: That must do.\nFinal Answer: Probably /var.',
  });
  expect(status).toBe('COMPLETED');
  expect(execution.timeline.at(-1)).toMatchObject({ type: 'FINAL_ANALYSIS', content: 'Probably /var.' });
});

test("a model with native thinking answers through its own backend, with its own tools and TARSy's", async () => {
  const { status, execution, requests } = await answered(
    { llm_provider: 'scripted-google', iteration_strategy: 'native-thinking' },
    [{ thinking: ['Which ', 'is it?'] }, toolCall('tools.echo', { text: 'var' })],
    [
      { thinking: 'Sum them up.' },
      { codeExecution: { code: 'print(1)' } },
      { codeExecution: { result: '1' } },
      { text: 'It is /var.' },
    ],
  );
  expect(status).toBe('COMPLETED');
  expect(execution).toMatchObject({
    status: 'COMPLETED',
    iterationStrategy: 'NATIVE_THINKING',
    llmProvider: 'scripted-google',
  });
  expect(execution.timeline.map(({ type }) => type)).toEqual([
    'LLM_THINKING',
    'LLM_TOOL_CALL',
    'LLM_THINKING',
    'CODE_EXECUTION',
    'FINAL_ANALYSIS',
  ]);
  expect(thoughts(execution)).toEqual([{ source: 'native' }, { source: 'native' }]);
  expect(requests[0]!.llmConfig).toMatchObject({
    backend: 'google-native',
    model: 'scripted-2',
    nativeTools: { google_search: false, code_execution: true },
  });
  expect(requests[0]!.tools.map(({ name }) => name)).toContain('tools.echo');
  // The thought signatures of a provider are valid for this execution.
  expect(requests[1]!.executionId).toBe(requests[0]!.executionId);
});

test('a chain with chat disabled accepts no question', async () => {
  app = await startTestApp({ chain: { chat: { enabled: false } } });
  api = apiClient(app.url);
  app.llm.script({ text: 'The disk is full.' }, { text: 'Summary.' });
  const id = await api.submit('Disk trouble');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  await expect(askQuestion(api, id, 'Why?')).rejects.toThrow('Chat is disabled');
  const { session } = await api.query<{ session: { chat: unknown } }>(
    'query ($id: ID!) { session(id: $id) { chat { id } } }',
    { id },
  );
  expect(session.chat).toBeNull();
});
