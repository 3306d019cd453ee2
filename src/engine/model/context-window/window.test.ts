import { expect, test } from 'vitest';
import { encloseUntrusted, withCitationNumber } from '../../prompt-text/untrusted.ts';
import { LlmError } from '../errors.ts';
import type { LlmSettings, LlmTool } from '../request.ts';
import { type FittingMessage, weightOf } from './token-estimate.ts';
import { createPromptWindow, type Kept, type Prepared } from './window.ts';

const LLM = { backend: 'b', provider: 'p', model: 'm', contextWindow: 20_000 } as LlmSettings;
const TOO_LONG = new LlmError('context_too_long', 'longer than it can read', false);

const conversation = (count: number): FittingMessage[] => [
  { role: 'SYSTEM', content: 'You are an engineer.' },
  { role: 'USER', content: encloseUntrusted('ALERT DATA', 'disk full') },
  ...Array.from({ length: count }, (_, n) => [
    { role: 'ASSISTANT', content: '', toolCalls: [{ name: 'logs.read', arguments: '{}' }] } as const,
    {
      role: 'TOOL',
      toolName: 'logs.read',
      content: withCitationNumber(n + 1, encloseUntrusted('TOOL RESULT', 'of a tool '.repeat(250))),
    } as const,
  ]).flat(),
];
const send = (window: ReturnType<typeof createPromptWindow>, count: number) =>
  window.within({ messages: conversation(count), tools: [] }, async (sent) => sent);

test('sends the same after a resume', async () => {
  const one = createPromptWindow(LLM);
  const sent: Prepared<FittingMessage>[] = [];
  for (let count = 1; count <= 40; count++) sent.push(await send(one, count));
  expect(sent.at(-1)!.evicted.length).toBeGreaterThan(10);
  expect(sent.every(({ shortened }) => shortened === null)).toBe(true);
  for (let count = 2; count <= 40; count++) {
    const kept = JSON.parse(JSON.stringify(sent[count - 2]!.kept)) as Kept; // as it is stored
    expect(await send(createPromptWindow(LLM, kept), count)).toEqual(sent[count - 1]);
  }
});

test('keeps evicted results out for another model, and fits its window', async () => {
  const one = createPromptWindow({ ...LLM, contextWindow: 40_000 });
  const before = await send(one, 30);
  expect(before.evicted.length).toBeGreaterThan(0);
  expect((await send(one.of({ ...LLM, contextWindow: 1_000_000 }), 30)).evicted).toEqual(before.evicted);
  const smaller = await send(one.of({ ...LLM, contextWindow: 10_000 }), 30);
  expect(smaller.evicted.length).toBeGreaterThan(before.evicted.length);
});

test('forgets the limit of a model that refused a prompt when another model continues', async () => {
  const window = createPromptWindow({ ...LLM, contextWindow: 200_000 });
  let refusals = 0;
  await window.within({ messages: conversation(40), tools: [] }, async () => {
    refusals += 1;
    if (refusals < 3) throw TOO_LONG;
  });
  expect((await send(window, 40)).kept.maxWeight).not.toBeNull();
  const other = window.of({ ...LLM, model: 'other', contextWindow: 200_000 });
  expect((await send(other, 40)).kept.maxWeight).toBeNull();
});

test('a refused prompt that cannot become shorter does not raise the learned limit', async () => {
  const window = createPromptWindow({ ...LLM, contextWindow: 200_000 });
  let calls = 0;
  await window.within({ messages: conversation(5), tools: [] }, async () => {
    calls += 1;
    if (calls < 3) throw TOO_LONG;
  });
  const { maxWeight } = (await send(window, 5)).kept;
  const tool = { name: 'logs.read', description: 'd'.repeat(100_000), inputSchema: {} } as unknown as LlmTool;
  const refused = window.within({ messages: conversation(5), tools: [tool] }, () => Promise.reject(TOO_LONG));
  await expect(refused).rejects.toBe(TOO_LONG);
  expect((await send(window, 5)).kept.maxWeight).toBeLessThan(maxWeight!);
});

test('sends a refused prompt again, shorter each time, until it is accepted', async () => {
  const window = createPromptWindow({ ...LLM, contextWindow: 200_000 });
  const taken = 9_000; // what the provider accepts, less than its configured window
  const weights: number[] = [];
  const told: string[] = [];
  const call = async (sent: Prepared<FittingMessage>) => {
    const weight = sent.messages.reduce((sum, { content }) => sum + weightOf(content), 0);
    weights.push(weight);
    if (weight > taken) throw new Error('failed', { cause: TOO_LONG });
    return sent;
  };
  const sent = await window.within({ messages: conversation(40), tools: [] }, call, async (_, error) => {
    told.push(error.code);
  });
  expect(weights.length).toBeGreaterThan(3);
  expect(weights).toEqual(weights.toSorted((a, b) => b - a));
  expect(told).toEqual(weights.slice(1).map(() => 'context_too_long'));
  expect(sent.evicted).toEqual(Array.from({ length: 37 }, (_, n) => n + 1));
  expect(sent.messages.at(-1)!.content).toContain('of a tool');
  const next = await window.within({ messages: conversation(41), tools: [] }, call);
  expect(next.kept.maxWeight).toBeLessThan(taken); // the learned limit holds
});

test('does not shorten after other failures', async () => {
  const failure = new LlmError('rate_limited', 'later', true);
  const call = () => Promise.reject(failure);
  await expect(createPromptWindow(LLM).within({ messages: conversation(3), tools: [] }, call)).rejects.toBe(
    failure,
  );
});

test('fails if the shortest prompt is refused', async () => {
  let calls = 0;
  const call = () => {
    calls += 1;
    return Promise.reject(TOO_LONG);
  };
  const messages = conversation(10);
  await expect(createPromptWindow(LLM).within({ messages, tools: [] }, call)).rejects.toBe(TOO_LONG);
  expect(calls).toBeGreaterThan(3);
  expect(calls).toBeLessThan(12);
});
