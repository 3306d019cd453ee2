import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { follow, newFollower } from '../helpers/follower.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';
import { isSummarization, readSummarized, type Summarized } from '../helpers/summarized.ts';

/** Settings that make the engine summarize a result of 60 lines: 100 tokens are 400 characters. */
const SUMMARIZATION = { size_threshold_tokens: 100, summary_max_token_limit: 50 };

let app: TestApp;
let api: ApiClient;
beforeAll(async () => {
  app = await startTestApp({
    tools: { summarization: SUMMARIZATION },
    defaults: { timeouts: { llm_first_token: '4s' }, tool_results: { trace_max_tokens: 20_000 } },
  });
  api = apiClient(app.url);
});
afterAll(() => app.stop());
beforeEach(() => app.llm.assertNoUnusedScripts());

const COUNT = toolCall('tools.count_lines', { n: 9000 }, 'long');
const ENOUGH: ScriptedResponse[] = [{ text: 'Understood.' }, { text: 'In short.' }];

/** Runs one investigation with a long result and this response to the summary request. */
async function summarizedWith(summary: ScriptedResponse, then = ENOUGH): Promise<Summarized> {
  app.llm.script([{ text: 'Counting.' }, COUNT], summary, ...then);
  const id = await api.submit('Too many lines');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  return readSummarized(api, id);
}

const requestsOf = (id: string) => app.llm.requests.filter(({ sessionId }) => sessionId === id);

test('a long result is summarized, streamed and recorded, and the agent continues from the summary', async () => {
  app.llm.script(
    [{ text: 'Counting.' }, COUNT, toolCall('tools.echo', { text: 'short' }, 'short')],
    [{ thinking: 'Many lines.' }, { text: ['9000 lines, ', 'all alike.'] }],
    ...ENOUGH,
  );
  const id = await api.submit('Too many lines');
  const follower = newFollower();
  await follow(api, id, follower, { isEnd: (status) => ENDED.has(status) });
  const { timeline, messages, llm, mcp, rawId } = await readSummarized(api, id);

  expect(timeline.map(({ type, status }) => [type, status])).toEqual([
    ['LLM_RESPONSE', 'COMPLETED'],
    ['LLM_TOOL_CALL', 'COMPLETED'],
    ['LLM_TOOL_CALL', 'COMPLETED'],
    ['MCP_TOOL_SUMMARY', 'COMPLETED'],
    ['FINAL_ANALYSIS', 'COMPLETED'],
    ['EXECUTIVE_SUMMARY', 'COMPLETED'],
  ]);
  const summary = timeline[3]!;
  expect(summary).toMatchObject({
    content: '9000 lines, all alike.',
    metadata: {
      tool_call_id: 'long',
      server_name: 'tools',
      tool_name: 'count_lines',
      summarization_model: 'scripted-1',
    },
  });
  expect(follower.texts.get(summary.id)).toMatchObject({
    final: { content: summary.content, type: summary.type },
  });

  // The conversation has the summary in place of the result, the timeline the beginning of the result, the
  // trace all of it.
  const answers = messages.filter(({ role }) => role === 'TOOL');
  expect(answers.map(({ toolCallId }) => toolCallId)).toEqual(['long', 'short']);
  expect(answers[0]!.content).toContain('summarized by a model');
  expect(answers[0]!.content).toContain('-----BEGIN TOOL RESULT-----\n9000 lines, all alike.\n-----END');
  expect(answers[0]!.content).not.toContain('line 2');
  expect(answers[1]!.content).toContain('echo: short');
  const cut = timeline.find(({ metadata }) => metadata?.tool_call_id === 'long')!.content;
  expect(cut).toMatch(/\nline \d+\n\[… cut: \d+ of \d+ characters left out\]$/);
  expect(cut.length).toBeLessThan(32_100);
  const result = mcp.find(({ toolName }) => toolName === 'count_lines')!.result!.content;
  expect(result).toMatch(/^line 1\n/);
  expect(result.length).toBeGreaterThan(79_000); // the trace keeps 80,000 of 88,892 characters
  expect(result).toMatch(/characters left out\]$/);

  const { task, purpose } = requestsOf(rawId).find(isSummarization)!;
  expect(purpose).toBe('summarization');
  expect(task!.alert).toBe('Too many lines');
  expect(task!.shorten).toMatch(/^line 1\n.*\nline 9000$/s);
  const [interaction] = llm.filter(({ type }) => type === 'SUMMARIZATION');
  expect(interaction).toMatchObject({
    modelName: 'scripted-1',
    thinking: 'Many lines.',
    response: { text: '9000 lines, all alike.' },
    tokenUsage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    errorMessage: null,
  });
  expect(interaction!.conversation.map(({ role }) => role)).toEqual(['SYSTEM', 'USER']);
  expect(interaction!.conversation[1]!.content).toContain('Counting.');

  const [, request, next] = requestsOf(rawId);
  expect(isSummarization(request!)).toBe(true);
  expect(request).toMatchObject({ tools: [], llmConfig: { nativeTools: {} } });
  expect(request!.executionId).toMatch(/:summarization$/);
  const asked = request!.messages[1]!.content;
  expect(asked).toContain('Too many lines'); // the request contains the alert as part of the conversation
  expect(asked).toContain('Calls tools.count_lines {"n":9000}');
  expect(asked).toContain('line 9000');
  expect(next!.messages.map(({ content }) => content)).toEqual(
    messages.slice(0, -1).map(({ content }) => content),
  );
});

test('passes on a result below the threshold unchanged', async () => {
  app.llm.script([toolCall('tools.count_lines', { n: 20 }, 'brief')], ...ENOUGH);
  const id = await api.submit('A few lines');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const { messages, llm } = await readSummarized(api, id);
  expect(messages.at(-2)!.content).toContain('line 19\nline 20');
  expect(llm.map(({ type }) => type)).not.toContain('SUMMARIZATION');
});

test.each<[what: string, summary: ScriptedResponse, reason: string, status: string]>([
  ['fails', { error: { code: 'rate_limited', message: 'later' } }, 'rate_limited: later', 'FAILED'],
  ['is interrupted', [{ text: 'Half of ' }, { breakOff: 'stream' }], 'stream_broken', 'FAILED'],
  ['is empty', { text: '  ' }, 'empty summary', 'FAILED'],
  ['takes too long', { hang: true }, 'first_token_timeout', 'TIMED_OUT'],
  ['repeats itself', { text: 'The same line once more and again. '.repeat(200) }, '', 'FAILED'],
])('a summary that %s is replaced by the beginning of the result', async (_, summary, reason, status) => {
  const { session, timeline, messages, llm } = await summarizedWith(summary);
  expect(session.status).toBe('COMPLETED');
  expect(timeline.find(({ type }) => type === 'MCP_TOOL_SUMMARY')).toMatchObject({
    status,
    metadata: { interrupted: true, error: expect.stringContaining(reason) },
  });
  const given = messages.find(({ role }) => role === 'TOOL')!.content;
  expect(given).toContain('could not be summarized');
  expect(given).toContain(reason);
  expect(given).toContain('-----BEGIN TOOL RESULT-----\nline 1\nline 2\n');
  expect(given).toMatch(/\nline \d+\n\[… cut: \d+ of \d+ characters left out\]\n-----END TOOL RESULT-----$/);
  expect(given.length).toBeLessThan(33_000);
  expect(llm.find(({ type }) => type === 'SUMMARIZATION')?.errorMessage).toContain(reason);
});

test('an endless summary is cut, and its call ended', async () => {
  const words = Array.from({ length: 4000 }, (_, n) => `word${n} `);
  const { timeline, llm } = await summarizedWith({ text: words });
  const summary = timeline.find(({ type }) => type === 'MCP_TOOL_SUMMARY')!;
  expect(summary.status).toBe('COMPLETED');
  expect(summary.content).toMatch(/^word0 word1 /);
  expect(summary.content.length).toBeLessThan(2 * 50 * 4 + 80);
  expect(summary.content).toMatch(/characters left out\]$/);
  expect(llm.find(({ type }) => type === 'SUMMARIZATION')?.errorMessage).toBeNull();
});

test('a session cancelled in the middle of a summary ends at once', async () => {
  app.llm.script([{ text: 'Counting.' }, COUNT], [{ text: 'Half of ' }, { gate: 'cancel' }, { hang: true }]);
  const before = app.llm.calls.length;
  const id = await api.submit('Too many lines');
  await app.llm.reached('cancel');
  await api.query(`mutation ($id: ID!) { cancelSession(id: $id) { __typename } }`, { id });
  expect(await (await app.llm.call(before + 1)).ended).toBe('cancelled');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'CANCELLED' });
  const { timeline, messages } = await readSummarized(api, id);
  expect(timeline.map(({ type, status }) => [type, status])).toEqual([
    ['LLM_RESPONSE', 'COMPLETED'],
    ['LLM_TOOL_CALL', 'COMPLETED'],
    ['MCP_TOOL_SUMMARY', 'CANCELLED'],
  ]);
  expect(messages.map(({ role }) => role)).toEqual(['SYSTEM', 'USER', 'ASSISTANT']);
});
