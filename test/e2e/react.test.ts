import { afterEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { expectTiled, facts, investigate as runScript, SUMMARY } from '../helpers/react-session.ts';
import type { ScriptedResponse } from '../helpers/scripted-llm/index.ts';

let app: TestApp;
afterEach(() => app.stop());

/** Runs one alert with an agent without function calling. */
async function investigate(defaults: Record<string, unknown>, ...responses: ScriptedResponse[]) {
  app = await startTestApp({ defaults: { iteration_strategy: 'react', ...defaults } });
  return runScript(app, responses);
}

test('calls tools in text and returns observations, up to the final answer', async () => {
  const stored = await investigate(
    {},
    {
      text: [
        'Tho',
        'ught: Let me ',
        'look.\n\nAct',
        'ion: tools.',
        'echo\nAction Input: {"te',
        'xt": "hi"}\n',
      ],
    },
    [
      { thinking: ['Hm, ', 'so.'] },
      { text: ['**Thought:** I know', ' enough. Final', ' Answer:\n# Cause\n\n', '- the ', 'disk\n'] },
    ],
    SUMMARY,
  );
  expect(stored.session).toMatchObject({ status: 'COMPLETED', finalAnalysis: '# Cause\n\n- the disk' });
  expect(facts(stored.timeline)).toEqual([
    ['LLM_THINKING', 'COMPLETED', 'Let me look.'],
    ['LLM_TOOL_CALL', 'COMPLETED', 'echo: hi'],
    ['LLM_THINKING', 'COMPLETED', 'Hm, so.'],
    ['LLM_THINKING', 'COMPLETED', 'I know enough.'],
    ['FINAL_ANALYSIS', 'COMPLETED', '# Cause\n\n- the disk'],
    ['EXECUTIVE_SUMMARY', 'COMPLETED', 'Summary.'],
  ]);
  expect(stored.timeline[1]!.metadata).toMatchObject({
    server_name: 'tools',
    tool_name: 'echo',
    arguments: '{"text":"hi"}',
    is_error: false,
  });
  expectTiled(stored);
  expect(stored.messages.slice(2)).toEqual([
    {
      role: 'ASSISTANT',
      content: 'Thought: Let me look.\n\nAction: tools.echo\nAction Input: {"text": "hi"}',
      toolCalls: [],
    },
    {
      role: 'USER',
      content: expect.stringMatching(
        /^Observation:\n\[T\d+\]\n-----BEGIN TOOL RESULT-----\necho: hi\n-----END TOOL RESULT-----$/,
      ),
      toolCalls: [],
    },
    {
      role: 'ASSISTANT',
      content: '**Thought:** I know enough. Final Answer:\n# Cause\n\n- the disk',
      toolCalls: [],
    },
  ]);
  const [first, second, summary] = app.llm.requests;
  expect(first!.react!.tools.map(({ name }) => name)).toContain('tools.echo');
  expect(second!.messages[3]).toMatchObject({ role: 'user', toolName: 'tools.echo', failed: false });
  expect(summary!).toMatchObject({ react: null, task: { shorten: '# Cause\n\n- the disk' } });
  const system = first!.messages[0]!.content;
  expect(system).toContain('Action Input: {"parameter": "value"}');
  expect(system).toContain('- tools.echo: Says the text again\n  - text (string, required)');
});

test('text of any kind arrives as it is stored', async () => {
  const pieces = [
    'größer ',
    '磁盘。',
    '🚨',
    '\n\n',
    '  - e\u0301',
    '. ',
    'Action',
    ' is due. ',
    'Final',
    'ly',
  ];
  const mixed = Array.from({ length: 400 }, (_, n) => pieces[(n * n + (n >> 3)) % pieces.length]!);
  const text = mixed.join('').trim();
  const stored = await investigate(
    {},
    [{ text: ['Thought: ', ...mixed, '\r', '\nFinal An', 'swer:  \n', ...mixed, '  \n'] }],
    SUMMARY,
  );
  expect(facts(stored.timeline).slice(0, 2)).toEqual([
    ['LLM_THINKING', 'COMPLETED', text],
    ['FINAL_ANALYSIS', 'COMPLETED', text],
  ]);
  expectTiled(stored);
});

test('a response without the required format is kept and answered with its errors', async () => {
  const { session, timeline, messages } = await investigate(
    {},
    { text: 'I would look at the disk first.' },
    { text: 'Thought: The disk.\nAction: tools.echo' },
    { text: 'Thought: Again.\nFinal Answer:' },
    { text: 'Final Answer: It is the disk.' },
    SUMMARY,
  );
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'It is the disk.' });
  expect(facts(timeline)).toEqual([
    ['LLM_RESPONSE', 'COMPLETED', 'I would look at the disk first.'],
    ['ERROR', 'COMPLETED', 'The response has no Thought, Action or Final Answer.'],
    ['LLM_THINKING', 'COMPLETED', 'The disk.'],
    ['ERROR', 'COMPLETED', 'The response has an Action without an Action Input.'],
    ['LLM_THINKING', 'COMPLETED', 'Again.'],
    ['ERROR', 'COMPLETED', 'There is nothing after "Final Answer:".'],
    ['FINAL_ANALYSIS', 'COMPLETED', 'It is the disk.'],
    ['EXECUTIVE_SUMMARY', 'COMPLETED', 'Summary.'],
  ]);
  expect(messages.map(({ role }) => role).join(' ')).toBe(
    'SYSTEM USER ASSISTANT USER ASSISTANT USER ASSISTANT USER ASSISTANT',
  );
  expect(messages[2]!.content).toBe('I would look at the disk first.');
  expect(messages[3]!.content).toMatch(
    /^FORMAT ERROR: The response has no .*Write your response in one of these forms/s,
  );
  expect(messages[5]!.content).toMatch(
    /^FORMAT ERROR: .* without an Action Input\..*\{\} if there are none/s,
  );
});

test('a call of an unknown tool is answered with the existing ones', async () => {
  const { timeline, messages } = await investigate(
    {},
    { text: 'Thought: Say it.\nAction: echo\nAction Input: {"text": "hi"}' },
    { text: 'Action: tools.nothing\nAction Input: {}' },
    { text: 'Final Answer: No tool.' },
    SUMMARY,
  );
  expect(facts(timeline)).toEqual([
    ['LLM_THINKING', 'COMPLETED', 'Say it.'],
    ['ERROR', 'COMPLETED', 'The response names a tool that does not exist: echo'],
    ['ERROR', 'COMPLETED', 'The response names a tool that does not exist: tools.nothing'],
    ['FINAL_ANALYSIS', 'COMPLETED', 'No tool.'],
    ['EXECUTIVE_SUMMARY', 'COMPLETED', 'Summary.'],
  ]);
  expect(messages[3]!.content).toContain('unknown tool "echo"');
  expect(messages[3]!.content).toContain('Did you mean tools.echo?');
  for (const name of ['tools.echo', 'tools.count_lines', 'tools.fail']) {
    expect(messages[5]!.content).toContain(`- ${name}: `);
  }
});

test('drops an observation that the model invents from conversation and timeline', async () => {
  const { timeline, messages } = await investigate(
    {},
    {
      text: [
        'Thought: Ask.\nAction: tools.echo\nAction Input: text: hi\nObser',
        'vation: all is well\nThought: So it is well.\nFinal Answer: All is well.',
      ],
    },
    { text: 'Final Answer: It said hi.' },
    SUMMARY,
  );
  expect(facts(timeline)).toEqual([
    ['LLM_THINKING', 'COMPLETED', 'Ask.'],
    ['LLM_TOOL_CALL', 'COMPLETED', 'echo: hi'],
    ['FINAL_ANALYSIS', 'COMPLETED', 'It said hi.'],
    ['EXECUTIVE_SUMMARY', 'COMPLETED', 'Summary.'],
  ]);
  expect(messages[2]!.content).toBe('Thought: Ask.\nAction: tools.echo\nAction Input: text: hi');
  expect(app.llm.requests[1]!.messages.map(({ content }) => content).join('\n')).not.toContain('all is well');
});

test('a final answer followed by a tool call is not final', async () => {
  const stored = await investigate(
    {},
    { text: 'Thought: Done?\nFinal Answer: Half.\nAction: tools.fail\nAction Input: {}' },
    { text: 'Final Answer: Whole.\nAction: restart the pod\nAction Input: none' },
    SUMMARY,
  );
  const whole = 'Whole.\nAction: restart the pod\nAction Input: none';
  expect(stored.session).toMatchObject({ status: 'COMPLETED', finalAnalysis: whole });
  expect(facts(stored.timeline)).toEqual([
    ['LLM_THINKING', 'COMPLETED', 'Done?\nFinal Answer: Half.'],
    ['LLM_TOOL_CALL', 'FAILED', 'this tool always fails'],
    ['FINAL_ANALYSIS', 'COMPLETED', whole],
    ['EXECUTIVE_SUMMARY', 'COMPLETED', 'Summary.'],
  ]);
  expect(stored.timeline[0]!.metadata).toEqual({ source: 'react' });
  expect(app.llm.requests[1]!.messages[3]).toMatchObject({
    role: 'user',
    toolName: 'tools.fail',
    failed: true,
  });
  expectTiled(stored);
});
