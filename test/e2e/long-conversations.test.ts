import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { type ScriptedResponse, type Step, toolCall } from '../helpers/scripted-llm/index.ts';

/**
 * Maximum size of a request (characters). Each agent's model reads 8000 tokens: 18,000 characters and a
 * reserve for the answer.
 */
const MOST = 18_000;
const COUNT = (id: string) => toolCall('tools.count_lines', { n: 100 }, id);
const MUCH = toolCall('tools.count_lines', { n: 1000 }, 'much');
const TOO_LONG: ScriptedResponse = {
  error: { code: 'context_too_long', message: 'longer than it can read' },
};
const SHORTENED = /\[… shortened: \d+ of \d+ characters left out here …\]/;

let app: TestApp;
let api: ApiClient;
beforeAll(async () => {
  app = await startTestApp({
    defaults: { llm_provider: 'scripted-small', max_iterations: 15 },
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
          request: { shortened?: { texts: number; leftOut: number }; evicted?: number[] };
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

test('evicts the oldest results from a conversation longer than the window, and keeps the stored one complete', async () => {
  const alert = `Too many lines ${'x'.repeat(1000)}`;
  const calls = Array.from({ length: 12 }, (_, n) => COUNT(`call${n}`));
  const session = await investigate(alert, ...calls, { text: 'Understood.' }, { text: 'In short.' });
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Understood.' });
  const requests = lastRequests(14).slice(0, 13);
  for (const request of requests) expect(sizeOf(request)).toBeLessThanOrEqual(MOST);
  const last = requests.at(-1)!;
  const results = last.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  expect(results[0]).toMatch(/^\[T\d+\] \(removed to shorten the conversation[^\n]+\)$/);
  for (const kept of results.slice(-3)) expect(kept).not.toContain('removed to shorten');
  expect(last.messages[1]!.content).toContain(alert);

  const stored = session.stages[0]!.executions[0]!.messages;
  expect(stored.filter(({ content }) => content.includes('removed to shorten'))).toEqual([]);
  const traced = session.trace.stages[0]!.executions[0]!.llmInteractions;
  expect(traced[0]!.request.evicted).toBeUndefined();
  expect(traced[12]!.request.evicted!.length).toBeGreaterThan(3);
});

test('repeats a call that the provider refuses as too long once, shortened, in the same iteration', async () => {
  const session = await investigate(
    `Trouble ${'x'.repeat(4000)}`,
    COUNT('a'),
    TOO_LONG,
    COUNT('b'),
    { text: 'Understood.' },
    { text: 'In short.' },
  );
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Understood.' });
  const [, refused, repeated, next] = lastRequests(5);
  expect(repeated!.messages).toHaveLength(refused!.messages.length);
  expect(sizeOf(repeated!)).toBeLessThan(sizeOf(refused!) - 2000);
  // The limit that was learned from a refusal still applies.
  expect(sizeOf(next!)).toBeLessThan(sizeOf(refused!));
  const traced = session.trace.stages[0]!.executions[0]!.llmInteractions;
  expect(traced.map(({ iteration }) => iteration)).toEqual([1, 2, 2, 3]);
  expect(traced[1]!.errorMessage).toBe('context_too_long: longer than it can read');
  expect(traced[2]!.request.shortened!.leftOut).toBeGreaterThan(2000);
  const told = session.timeline.filter(({ type }) => type === 'ERROR');
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({
    content: 'context_too_long: longer than it can read. Retrying with a shorter conversation.',
    metadata: { iteration: 2, shortened: { leftOut: traced[2]!.request.shortened!.leftOut } },
  });
});

test('a question about a long investigation is sent complete, with a shortened history', async () => {
  const { id } = await investigate('Trouble', MUCH, { text: 'Understood.' }, { text: 'In short.' });
  const question = `Why? ${'q'.repeat(500)}`;
  app.llm.script(TOO_LONG, { text: 'Because.' });
  expect(await waitForStageEnd(api, id, await askQuestion(api, id, question))).toBe('COMPLETED');
  const [refused, repeated] = lastRequests(2);
  for (const { messages } of [refused!, repeated!]) {
    expect(messages[1]!.content).toContain(question);
    expect(messages[1]!.content).toContain('Understood.');
    expect(messages[1]!.content).toMatch(SHORTENED);
  }
  expect(sizeOf(refused!)).toBeLessThanOrEqual(MOST);
});

test('an executive summary that is too long is requested once more', async () => {
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
  expect(sizeOf(repeated!)).toBeLessThan(sizeOf(refused!) * 0.8);
  expect(repeated!.messages[1]!.content).toMatch(SHORTENED);
});

test('a model that refuses any shortening is asked to conclude without tools', async () => {
  app.llm.script(COUNT('a'), COUNT('b'));
  app.llm.otherwise(({ tools, messages }) => {
    if (tools.length > 0) return TOO_LONG as Step;
    return { text: messages.length === 2 ? 'In short.' : 'It counts.' };
  });
  const session = await investigate('Trouble');
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'It counts.' });
  expect(session.timeline.find(({ type }) => type === 'FINAL_ANALYSIS')!.metadata).toMatchObject({
    ...{ forced_conclusion: true, iterations_used: 3 },
  });
  const { messages } = session.stages[0]!.executions[0]!;
  expect(messages.at(-2)!.content).toContain('too long for you to read');
});

test('if even that fails, the agent ends with its findings and says so, or fails without any', async () => {
  app.llm.script([{ text: 'I count first.' }, COUNT('a')] as Step[]);
  app.llm.otherwise(TOO_LONG);
  const session = await investigate('Trouble');
  expect(session.status).toBe('COMPLETED');
  expect(session.finalAnalysis).toMatch(/^No model wrote this conclusion, /);
  expect(session.finalAnalysis).toContain('I count first.');
  expect(session.finalAnalysis).toMatch(/- \[T\d+\] tools\.count_lines$/);
  expect(session.timeline.find(({ type }) => type === 'FINAL_ANALYSIS')!.metadata).toMatchObject({
    by_rule: true,
  });
  expect(session.stages[0]!.executions[0]!.messages.at(-1)!.content).toBe(session.finalAnalysis);

  const unread = await investigate('Trouble');
  expect(unread.status).toBe('FAILED');
  expect(unread.timeline.filter(({ type }) => type === 'ERROR').at(-1)!.content).toBe(
    'context_too_long: longer than it can read',
  );
});
