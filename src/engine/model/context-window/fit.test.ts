import { describe, expect, test } from 'vitest';
import type { TimelineEventRow } from '../../../db/entities/index.ts';
import { chatUserPrompt } from '../../investigation/chat-prompt.ts';
import { synthesisUserPrompt } from '../../investigation/synthesis-prompt.ts';
import { formatHistory } from '../../prompt-text/history.ts';
import { encloseUntrusted } from '../../prompt-text/untrusted.ts';
import { fitMessages, partsOf } from './fit.ts';
import { type FittingMessage, weightOf } from './token-estimate.ts';

const SYSTEM: FittingMessage = { role: 'SYSTEM', content: 'You are an engineer.' };
const ALERT = `Disk almost full ${'a'.repeat(3000)}`;
const OPENING: FittingMessage = {
  role: 'USER',
  content: `## The alert\n\n${encloseUntrusted('ALERT DATA', ALERT)}`,
};

const lines = (name: string, units: number) => `${name} line\n`.repeat(units / (name.length + 6));
const asks = (name: string): FittingMessage => ({
  role: 'ASSISTANT',
  content: `I call ${name}.`,
  toolCalls: [{ name, arguments: '{}' }],
});
const result = (name: string, units = 20_000): FittingMessage => ({
  role: 'TOOL',
  content: encloseUntrusted('TOOL RESULT', lines(name, units)),
});

const CONVERSATION = [
  SYSTEM,
  OPENING,
  ...['first', 'second', 'third', 'fourth'].flatMap((name) => [asks(name), result(name)]),
];

const weight = (messages: readonly FittingMessage[]) =>
  messages.reduce(
    (sum, { content, toolCalls = [] }) =>
      sum +
      weightOf(content) +
      toolCalls.reduce((all, call) => all + weightOf(call.name) + weightOf(call.arguments), 0),
    0,
  );
const NOTE = /\[… shortened: (\d+) of (\d+) characters left out here …\]/;

test('sends a conversation that fits unchanged', () => {
  const fitted = fitMessages(CONVERSATION, 0, weight(CONVERSATION));
  expect(fitted).toEqual({ messages: CONVERSATION, shortened: null, weight: weight(CONVERSATION) });
});

test('shortens the oldest tool results first', () => {
  const { messages, shortened } = fitMessages(CONVERSATION, 1000, 82_000);
  expect(weight(messages) + 1000).toBeLessThanOrEqual(82_000);
  expect(messages[3]!.content).toMatch(NOTE);
  expect(messages[3]!.content).toMatch(
    /^-----BEGIN TOOL RESULT-----\nfirst line[\s\S]*first line\n+-----END TOOL RESULT-----$/,
  );
  expect(messages[5]!.content).toMatch(NOTE);
  expect(messages.slice(6)).toEqual(CONVERSATION.slice(6));
  expect(messages[1]).toEqual(OPENING);
  expect(messages[0]!.content).toContain('too long for you to read');
  expect(shortened!.texts).toBe(2);
  expect(shortened!.leftOut).toBeGreaterThan(34_000);
});

test('shortens the alert and the latest results last', () => {
  const near = fitMessages(CONVERSATION, 0, 42_000);
  expect(near.messages[1]).toEqual(OPENING);
  expect(near.messages.at(-1)).toEqual(CONVERSATION.at(-1));
  const tight = fitMessages(CONVERSATION, 0, 19_000);
  expect(weight(tight.messages)).toBeLessThanOrEqual(19_000);
  expect(tight.messages[1]).toEqual(OPENING); // the alert stays whole, because the result is longer
  expect(tight.messages.at(-1)!.content.length).toBeGreaterThan(3000);
  expect(tight.messages.at(-1)!.content).toMatch(NOTE);
});

test('keeps the beginning and the end of a text that alone is too long', () => {
  const alert = `first\n${lines('alert', 400_000)}last`;
  const messages = [SYSTEM, { role: 'USER', content: encloseUntrusted('ALERT DATA', alert) } as const];
  const [, user] = fitMessages(messages, 0, 20_000).messages;
  expect(user!.content.length).toBeLessThan(20_000);
  expect(user!.content).toMatch(/BEGIN ALERT DATA-----\nfirst\n/);
  expect(user!.content).toMatch(/last\n-----END ALERT DATA-----$/);
});

test('shortens the same conversation the same way, and results stay short as it grows', () => {
  const once = fitMessages(CONVERSATION, 0, 70_000);
  expect(fitMessages(structuredClone(CONVERSATION), 0, 70_000)).toEqual(once);
  const grown = fitMessages([...CONVERSATION, asks('fifth'), result('fifth')], 0, 70_000);
  expect(grown.messages.slice(1, 6)).toEqual(once.messages.slice(1, 6));
});

test('treats ReAct observations as results', () => {
  const told = CONVERSATION.map((message) =>
    message.role === 'TOOL'
      ? ({ role: 'USER', content: `Observation:\n${message.content}` } as const)
      : message,
  );
  const { messages } = fitMessages(told, 0, 82_000);
  expect(messages[3]!.content).toMatch(/^Observation:\n-----BEGIN TOOL RESULT-----\n/);
  expect(messages[3]!.content).toMatch(NOTE);
  expect(messages.at(-1)).toEqual(told.at(-1));
});

test('counts non-ASCII text by the tokens it needs', () => {
  const chinese = [
    SYSTEM,
    { role: 'USER', content: encloseUntrusted('ALERT DATA', '磁盘已满'.repeat(5000)) } as const,
  ];
  const { messages } = fitMessages(chinese, 0, 30_000);
  expect(messages[1]!.content.length).toBeLessThan(10_500);
  expect(weight(messages)).toBeLessThanOrEqual(30_000);
});

test('drops the oldest whole turns when nothing is left to shorten', () => {
  const turns = Array.from({ length: 40 }, (_, n) => [asks(`call ${n}`), result(`${n}`, 900)]).flat();
  const { messages, shortened } = fitMessages([SYSTEM, OPENING, ...turns], 0, 30_000);
  expect(weight(messages)).toBeLessThanOrEqual(30_000);
  expect(shortened!.turns).toBeGreaterThan(10);
  expect(messages.slice(2).map(({ role }) => role)).toEqual(
    turns.slice(2 * shortened!.turns!).map(({ role }) => role),
  );
  expect(messages[1]!.content).toContain('Disk almost full');
  expect(messages.at(-1)).toEqual(turns.at(-1));
});

test('keeps the opening and the last turn, even if they do not fit', () => {
  const turns = ['first', 'last'].flatMap((name) => [asks(name), result(name, 900)]);
  const { messages, shortened, weight: needed } = fitMessages([SYSTEM, OPENING, ...turns], 0, 100);
  expect(messages.slice(2)).toEqual(turns.slice(2));
  expect(shortened!.turns).toBe(1);
  expect(needed).toBeGreaterThan(100);
});

describe('histories', () => {
  const call = (name: string, content: string) =>
    ({
      type: 'LLM_TOOL_CALL',
      status: 'COMPLETED',
      content,
      metadata: { server_name: 's', tool_name: name, arguments: '{}', tool_call_id: name },
    }) as unknown as TimelineEventRow;
  const said = (type: string, content: string) =>
    ({ type, status: 'COMPLETED', content, metadata: null }) as unknown as TimelineEventRow;
  const timeline = (agent: string) => [
    said('LLM_THINKING', `${agent} thinks.`),
    call('one', lines(`${agent}-one`, 20_000)),
    call('two', lines(`${agent}-two`, 20_000)),
    call('three', lines(`${agent}-three`, 8_000)),
    said('FINAL_ANALYSIS', `${agent} found it.`),
  ];
  const alert = { alertType: 't', alertData: ALERT, runbook: null, runbookUrl: null, runbookProblem: null };

  test('are unchanged when their parts are joined', () => {
    const history = formatHistory(timeline('a'));
    const content = encloseUntrusted('HISTORY', history);
    const parts = partsOf([{ role: 'USER', content }]);
    expect(parts.map(({ text }) => text).join('')).toBe(content);
    expect(parts.filter(({ kind }) => kind === 'result').map(({ order }) => order)).toEqual([-3, -2]);
  });

  test("of a synthesis lose the first results of every agent and keep the agents' texts", () => {
    const agent = { strategy: 'LANGCHAIN', llmProvider: null, status: 'COMPLETED', errorMessage: null };
    const investigations = ['a', 'b'].map((name) => ({
      ...agent,
      agentName: name,
      timeline: timeline(name),
    }));
    const user = synthesisUserPrompt({ ...alert, stageName: 's', investigations, customInstructions: '' });
    const [, fitted] = fitMessages([SYSTEM, { role: 'USER', content: user }], 0, 108_000).messages;
    expect(weightOf(fitted!.content)).toBeLessThanOrEqual(108_000);
    for (const name of ['a', 'b']) {
      expect(fitted!.content).toContain(`${name} thinks.`);
      expect(fitted!.content).toContain(`${name} found it.`);
      expect(fitted!.content).toContain(lines(`${name}-two`, 20_000).trim());
      expect(fitted!.content).not.toContain(lines(`${name}-one`, 20_000).trim());
    }
    expect(fitted!.content).toContain(ALERT);
  });

  test('of a chat make room for the question, which stays whole', () => {
    const question = `Why? ${'q'.repeat(5000)}`;
    const history = [{ title: 'look', text: formatHistory(timeline('a')) }];
    const agent = {
      agentName: 'A',
      mcpServers: [],
      unavailableServers: new Map(),
      leftOutTools: [],
      customInstructions: '',
      hasTools: false,
      now: new Date(0),
      calendar: { timeZone: 'UTC', weekend: [], holidays: [] },
    };
    const user = chatUserPrompt({ ...alert, ...agent, history, question });
    const [, fitted] = fitMessages([SYSTEM, { role: 'USER', content: user }], 0, 26_000).messages;
    expect(weightOf(fitted!.content)).toBeLessThanOrEqual(26_000);
    expect(fitted!.content).toContain(question);
    expect(fitted!.content).toContain(ALERT);
    expect(fitted!.content).toContain('a found it.');
  });
});
