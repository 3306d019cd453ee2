import { afterEach, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp } from '../helpers/app.ts';
import { conventionProblems } from '../helpers/conventions.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { attributesOf, type SentSpan, startTraceCollector } from '../helpers/trace-collector.ts';

/** Secrets by the place in which they appear. */
const SECRETS = {
  alert: 'AKIAIOSFODNN7ALERTXX',
  argument: 'AKIAIOSFODNN7ARGUMEN',
  result: 'AKIAIOSFODNN7RESULTX',
  answer: 'AKIAIOSFODNN7ANSWERX',
  error: 'AKIAIOSFODNN7ERRORXX',
};

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Runs an investigation with a secret in each place and a long text. Returns its spans. */
async function investigate(telemetry: Record<string, unknown>): Promise<SentSpan[]> {
  const collector = await startTraceCollector();
  closing.push(collector.close);
  const app = await startTestApp({
    system: { telemetry },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  app.llm.script(
    [
      { text: `I look at ${SECRETS.answer} now.` },
      toolCall('tools.echo', { text: `said ${SECRETS.argument} ${SECRETS.result}` }),
    ],
    [toolCall('tools.echo', { text: 'filler '.repeat(8_000) }), toolCall(`tools.${SECRETS.error}`)],
    { text: 'Final words.' },
    { text: 'Short.' },
  );
  const api = apiClient(app.url);
  const id = await api.submit(`Disk trouble of key ${SECRETS.alert}`);
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  await app.stop();
  const sent = collector.bodies.join();
  for (const secret of Object.values(SECRETS)) expect(sent).not.toContain(secret);
  return collector.spans();
}

const CONTENT = [
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
];

test('by default, spans have no content', async () => {
  const spans = await investigate({});
  const names = new Set(spans.flatMap(({ attributes }) => attributes.map(({ key }) => key)));
  expect(CONTENT.filter((name) => names.has(name))).toEqual([]);
  const text = JSON.stringify(spans);
  for (const content of ['Disk trouble', 'I look at', 'Final words', 'said', 'filler'])
    expect(text).not.toContain(content);
});

test('with telemetry.content masked, spans have prompts, answers, arguments and results, masked and cut', async () => {
  const spans = await investigate({ content: 'masked' });
  expect(conventionProblems(spans)).toEqual([]);
  const chats = spans.filter(({ name }) => name.startsWith('chat')).map(attributesOf);
  const answered = (text: string) =>
    chats.find((attributes) => String(attributes['gen_ai.output.messages']).includes(text))!;
  const first = answered('I look at');
  expect(JSON.parse(String(first['gen_ai.output.messages']))).toEqual([
    {
      role: 'assistant',
      parts: [
        { type: 'text', content: expect.stringMatching(/^I look at \[MASKED[A-Z_]*\] now\.$/) },
        {
          ...{ type: 'tool_call', id: expect.any(String), name: 'tools.echo' },
          arguments: expect.stringMatching(/said \[MASKED/),
        },
      ],
      finish_reason: 'tool_call',
    },
  ]);
  const messages = JSON.parse(String(first['gen_ai.input.messages'])) as { role: string; parts: object[] }[];
  expect(messages.map(({ role }) => role)).toEqual(['user']);
  expect(JSON.stringify(messages)).toContain('Disk trouble of key [MASKED');
  expect(JSON.parse(String(first['gen_ai.system_instructions']))).toEqual([
    { type: 'text', content: expect.stringContaining('Be brief.') },
  ]);
  const last = JSON.parse(String(answered('Final words')['gen_ai.input.messages'])) as typeof messages;
  expect(last.flatMap(({ parts }) => parts)).toContainEqual(
    expect.objectContaining({ type: 'tool_call_response', response: expect.stringContaining('cut:') }),
  );
  const tools = spans.filter(({ name }) => name === 'execute_tool echo').map(attributesOf);
  const said = tools.find((attributes) => String(attributes['gen_ai.tool.call.arguments']).includes('said'))!;
  expect(said['gen_ai.tool.call.result']).toMatch(/^echo: said \[MASKED/);
  const unknown = spans.find(({ name }) => name === 'execute_tool')!;
  expect(CONTENT.filter((name) => name in attributesOf(unknown))).toEqual([]);
  for (const attributes of [...chats, ...tools])
    for (const name of CONTENT) expect(String(attributes[name] ?? '').length).toBeLessThan(33_000);
});
