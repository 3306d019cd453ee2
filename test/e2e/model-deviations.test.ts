import { afterEach, expect, test } from 'vitest';
import { apiClient, ENDED, type SessionView } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';

let app: TestApp;
afterEach(() => app.stop());

interface Item {
  type: string;
  status: string;
  content: string;
}

async function investigate(
  defaults: Record<string, unknown>,
  ...responses: ScriptedResponse[]
): Promise<{ session: SessionView; timeline: Item[] }> {
  app = await startTestApp({ defaults });
  const api = apiClient(app.url);
  app.llm.script(...responses);
  const id = await api.submit('Trouble');
  const session = await api.waitFor(id, ({ status }) => ENDED.has(status));
  const stored = await api.query<{ session: { timeline: Item[] } }>(
    `query ($id: ID!) { session(id: $id) { timeline { type status content } } }`,
    { id },
  );
  app.llm.assertNoUnusedScripts();
  return { session, ...stored.session };
}

const CALL = { error: { code: 'malformed_tool_call', message: 'a call', retryable: true } } as const;
const lastMessage = (request: number) => app.llm.requests[request]!.messages.at(-1)!;
const written = (text: string): ScriptedResponse => ({
  toolCall: { name: 'tools.echo', arguments: text as unknown as Record<string, unknown> },
});

test.each(['{"text": what?}', '{"text": "half', 'text: yaml', '[1]', '"words"'])(
  'arguments that cannot be read call nothing, and the model learns why: %s',
  async (text) => {
    const { session, timeline } = await investigate(
      {},
      written(text),
      toolCall('tools.echo', { text: 'whole' }),
      { text: 'Fine.' },
      { text: 'Summary.' },
    );
    expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Fine.' });
    expect(timeline.filter(({ type }) => type === 'LLM_TOOL_CALL').map(({ status }) => status)).toEqual([
      'FAILED',
      'COMPLETED',
    ]);
    expect(lastMessage(1)).toMatchObject({ role: 'tool', failed: true });
    expect(lastMessage(1).content).toContain('The arguments of tools.echo cannot be read');
  },
);

test('text that turns out to be thinking is shown as thinking and is no part of the analysis', async () => {
  const wasThinking: ScriptedResponse = [
    { text: 'Maybe memory?' },
    { message: { isFinal: false, textWasThinking: {} } },
    { text: 'Root cause: exit code 137.' },
  ];
  const { session, timeline } = await investigate({}, wasThinking, { text: 'Summary.' });
  expect(session.finalAnalysis).toBe('Root cause: exit code 137.');
  expect(timeline.map(({ type, content }) => [type, content])).toEqual([
    ['LLM_THINKING', 'Maybe memory?'],
    ['FINAL_ANALYSIS', 'Root cause: exit code 137.'],
    ['EXECUTIVE_SUMMARY', 'Summary.'],
  ]);
});

const NO_ANALYSIS: Readonly<Record<string, ScriptedResponse>> = {
  'an unreadable call': CALL,
  'a call': toolCall('tools.echo', { text: 'again' }),
  'blank text': { text: ' \n' },
};

test.each(Object.entries(NO_ANALYSIS))(
  '%s in place of the conclusion is told to the model once',
  async (_, response) => {
    const { session, timeline } = await investigate(
      { max_iterations: 1 },
      toolCall('tools.echo', { text: 'look' }),
      response,
      { text: 'Enough.' },
      { text: 'Summary.' },
    );
    expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Enough.' });
    expect(lastMessage(2).content).toContain('no more tool calls are possible');
    expect(timeline.filter(({ type }) => type === 'LLM_TOOL_CALL')).toHaveLength(1);
    expect(timeline.filter(({ status }) => status === 'STREAMING')).toEqual([]);
  },
);

test('a second call in place of the conclusion ends the investigation with a reason', async () => {
  const { session } = await investigate(
    { max_iterations: 1 },
    toolCall('tools.echo', { text: 'look' }),
    CALL,
    CALL,
  );
  expect(session).toMatchObject({ status: 'FAILED', finalAnalysis: null });
  expect(session.errorMessage).toContain('malformed_tool_call');
});

const TRUNCATED = { error: { code: 'output_truncated', message: 'cut', retryable: false } } as const;

test('a response beyond the output limit is told to the model, in the investigation and in the conclusion', async () => {
  const { session, timeline } = await investigate(
    { max_iterations: 2 },
    TRUNCATED,
    toolCall('tools.echo', { text: 'look' }),
    [{ text: 'It is' }, TRUNCATED],
    { text: 'Enough.' },
    { text: 'Summary.' },
  );
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Enough.' });
  for (const request of [1, 3])
    expect(lastMessage(request).content).toMatch(/longer than the output limit.*more briefly/s);
  expect(lastMessage(3).content).toContain('It is');
  expect(timeline.map(({ type, content }) => [type, content])).toContainEqual([
    'ERROR',
    'output_truncated: cut',
  ]);
});

test('responses beyond the output limit end the investigation after the limit of failures', async () => {
  const { session } = await investigate({}, TRUNCATED, TRUNCATED, TRUNCATED);
  expect(session).toMatchObject({ status: 'FAILED' });
  expect(session.errorMessage).toContain('3 failed calls in a row: output_truncated');
});

test('an unreadable call is told to the model', async () => {
  const { session } = await investigate({}, CALL, { text: 'Fine.' }, { text: 'Summary.' });
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Fine.' });
  expect(lastMessage(1).content).toContain('the tool call could not be read');
});
