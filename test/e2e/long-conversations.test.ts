import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/engine/llm/gen/llm_service.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { ask, stageEnded } from '../helpers/chat.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';

/** Each agent's model reads 8000 tokens: 18,000 characters beside what is kept for the answer. */
const MOST = 18_000;
const COUNT = (id: string) => toolCall('tools.count_lines', { n: 1000 }, id);
const TOO_LONG: ScriptedResponse = {
  error: { code: 'context_too_long', message: 'longer than it can read' },
};
const SHORTENED = /\[… shortened: \d+ of \d+ characters left out here …\]/;

let app: TestApp;
let api: ApiClient;
beforeAll(async () => {
  app = await startTestApp({
    defaults: { llm_provider: 'scripted-small' },
  });
  api = apiClient(app.url);
});
afterAll(() => app.stop());
afterEach(() => app.llm.assertNoUnusedScripts());

interface View {
  status: string;
  finalAnalysis: string | null;
  timeline: { type: string; content: string; metadata: Record<string, unknown> | null }[];
  stages: { executions: { messages: { role: string; content: string }[] }[] }[];
  trace: {
    stages: {
      executions: {
        llmInteractions: {
          iteration: number | null;
          errorMessage: string | null;
          request: { shortened?: { texts: number; leftOut: number } };
        }[];
      }[];
    }[];
  };
}

async function investigate(data: string, ...responses: ScriptedResponse[]): Promise<View & { id: string }> {
  app.llm.script(...responses);
  const id = await api.submit(data);
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const { session } = await api.query<{ session: View }>(
    `query ($id: ID!) { session(id: $id) { status finalAnalysis timeline { type content metadata }
       stages { executions { messages { role content } } }
       trace { stages { executions { llmInteractions { iteration errorMessage request } } } } } }`,
    { id },
  );
  return { id, ...session };
}

const sizeOf = ({ messages, tools }: GenerateRequest) =>
  messages.reduce((sum, { content }) => sum + content.length, 0) +
  JSON.stringify(
    tools.map(({ name, description, parametersSchema }) => [name, description, parametersSchema]),
  ).length;

const lastRequests = (count: number) => app.llm.requests.slice(-count);

test('a conversation longer than the window is sent shortened, the oldest results first, and stored whole', async () => {
  const alert = `Too many lines ${'x'.repeat(1000)}`;
  const session = await investigate(
    alert,
    COUNT('a'),
    COUNT('b'),
    COUNT('c'),
    { text: 'Understood.' },
    { text: 'In short.' },
  );
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Understood.' });
  const [, , , last] = lastRequests(5);
  expect(sizeOf(last!)).toBeLessThanOrEqual(MOST);
  const results = last!.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  expect(results[0]).toMatch(SHORTENED);
  expect(results[0]!.length).toBeLessThan(2200);
  expect(results[2]!.length).toBeGreaterThan(results[0]!.length);
  expect(last!.messages[0]!.content).toContain('longer than what you can read at once');
  expect(last!.messages[1]!.content).toContain(alert);

  const stored = session.stages[0]!.executions[0]!.messages;
  expect(stored.filter(({ content }) => SHORTENED.test(content))).toEqual([]);
  const traced = session.trace.stages[0]!.executions[0]!.llmInteractions;
  expect(traced.map(({ request }) => request.shortened !== undefined)).toEqual([false, false, true, true]);
  expect(traced[3]!.request.shortened!.leftOut).toBeGreaterThan(3000);
});

test('a call that the provider finds too long is made once more, shortened, in the same iteration', async () => {
  const session = await investigate(
    'Trouble',
    COUNT('a'),
    TOO_LONG,
    COUNT('b'),
    { text: 'Understood.' },
    { text: 'In short.' },
  );
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Understood.' });
  const [, refused, repeated, next] = lastRequests(5);
  expect(repeated!.messages).toHaveLength(refused!.messages.length);
  expect(sizeOf(repeated!)).toBeLessThan(sizeOf(refused!) * 0.6);
  expect(sizeOf(next!)).toBeLessThan(sizeOf(refused!)); // what was learnt holds
  const traced = session.trace.stages[0]!.executions[0]!.llmInteractions;
  expect(traced.map(({ iteration }) => iteration)).toEqual([1, 2, 2, 3]);
  expect(traced[1]!.errorMessage).toBe('context_too_long: longer than it can read');
  expect(traced[2]!.request.shortened).toMatchObject({ texts: 1 });
  const told = session.timeline.filter(({ type }) => type === 'ERROR');
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({
    content:
      'context_too_long: longer than it can read. The call is made once more with a shorter conversation.',
    metadata: { iteration: 2, shortened: { texts: 1 } },
  });
});

test('a call that is too long even so ends the agent', async () => {
  const session = await investigate('Trouble', COUNT('a'), TOO_LONG, TOO_LONG);
  expect(session.status).toBe('FAILED');
  expect(session.timeline.filter(({ type }) => type === 'ERROR').map(({ content }) => content)).toEqual([
    'context_too_long: longer than it can read. The call is made once more with a shorter conversation.',
    'context_too_long: longer than it can read',
  ]);
});

test('a question about a long investigation is asked with a shortened history, and whole itself', async () => {
  const { id } = await investigate(
    'Trouble',
    COUNT('a'),
    COUNT('b'),
    { text: 'Understood.' },
    { text: 'In short.' },
  );
  const question = `Why? ${'q'.repeat(500)}`;
  app.llm.script(TOO_LONG, { text: 'Because.' });
  expect(await stageEnded(api, id, await ask(api, id, question))).toBe('COMPLETED');
  const [refused, repeated] = lastRequests(2);
  for (const { messages } of [refused!, repeated!]) {
    expect(messages[1]!.content).toContain(question);
    expect(messages[1]!.content).toContain('Understood.');
    expect(messages[1]!.content).toMatch(SHORTENED);
  }
  expect(sizeOf(refused!)).toBeLessThanOrEqual(MOST);
});

test('an executive summary that is too long is asked for once more', async () => {
  const session = await investigate(
    'Trouble',
    { text: Array.from({ length: 2000 }, (_, n) => `Finding ${n * n}.`).join(' ') },
    TOO_LONG,
    {
      text: 'In short.',
    },
  );
  expect(session.status).toBe('COMPLETED');
  expect(session.timeline.at(-1)).toMatchObject({ type: 'EXECUTIVE_SUMMARY', content: 'In short.' });
  const [refused, repeated] = lastRequests(2);
  expect(sizeOf(repeated!)).toBeLessThan(sizeOf(refused!) * 0.6);
  expect(repeated!.messages[1]!.content).toMatch(SHORTENED);
});
