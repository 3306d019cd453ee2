import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { isSummarization } from '../helpers/summarized.ts';

/** Tests that native tools of Google's models are requested only if the configuration says so. */
const WAYS: readonly (readonly [provider: string, strategy: string])[] = [
  ...['native-thinking', 'langchain', 'react', 'single-call'].map((way) => ['google-default', way] as const),
  ...['openai-default', 'anthropic-default', 'xai-default', 'vertexai-default', 'offline'].flatMap(
    (provider) => ['langchain', 'react', 'single-call'].map((way) => [provider, way] as const),
  ),
];
const KEYS = ['GOOGLE', 'OPENAI', 'ANTHROPIC', 'XAI'].map((name) => [`${name}_API_KEY`, 'a-key-of-a-test']);
const VERTEX = {
  GOOGLE_CLOUD_PROJECT: 'p',
  GOOGLE_CLOUD_LOCATION: 'l',
  GOOGLE_APPLICATION_CREDENTIALS: '/c',
};

const googleAgent = { llm_provider: 'google-default', iteration_strategy: 'native-thinking' };
let app: TestApp;
let api: ApiClient;
beforeAll(async () => {
  const ways = WAYS.map(([llm_provider, iteration_strategy], index) => ({
    name: `way-${index}`,
    agents: [{ name: 'TestAgent', llm_provider, iteration_strategy }],
  }));
  const joined = ['synthesis', 'synthesis-native-thinking'].map((iteration_strategy) => ({
    name: iteration_strategy,
    agents: [{ name: 'TestAgent' }, { name: 'TestAgent' }],
    ...googleAgent,
    synthesis: { iteration_strategy },
  }));
  app = await startTestApp({
    env: { ...Object.fromEntries(KEYS), ...VERTEX },
    defaults: { llm_provider: 'google-default' },
    tools: { summarization: { size_threshold_tokens: 100, summary_max_token_limit: 50 } },
    stages: [...ways, ...joined],
    chain: {
      executive_summary_provider: 'google-default',
      chat: { enabled: true, agent: 'ChatAgent', ...googleAgent },
    },
  });
  api = apiClient(app.url);
});
afterAll(() => app.stop());

const on = ({ llmConfig }: GenerateRequest) =>
  Object.entries(llmConfig?.nativeTools ?? {}).flatMap(([tool, asked]) => (asked ? [tool] : []));

test('no strategy, synthesis, summary or answer requests native tools by default', async () => {
  app.llm.script([{ text: 'Counting.' }, toolCall('tools.count_lines', { n: 500 })]);
  app.llm.otherwise({ text: 'Final Answer: The disk is full.' });
  const id = await api.submit('Disk trouble');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  expect(await waitForStageEnd(api, id, await askQuestion(api, id, 'Sure?'))).toBe('COMPLETED');

  const asked = app.llm.requests;
  const seen = new Set(asked.map(({ llmConfig }) => `${llmConfig!.provider} ${llmConfig!.backend}`));
  expect([...seen].sort()).toEqual([
    'anthropic langchain',
    'google google-native',
    'google langchain',
    'offline offline',
    'openai langchain',
    'vertexai langchain',
    'xai langchain',
  ]);
  expect(asked.some(isSummarization)).toBe(true);
  // The requests of WAYS, two syntheses, a tool result's summary, the executive summary and the answer.
  expect(asked.length).toBeGreaterThanOrEqual(WAYS.length + 6 + 3);
  expect(asked.map(on).filter((tools) => tools.length > 0)).toEqual([]);
});
