import { describe, expect, test } from 'vitest';
import { formatToolResult } from '../../prompt-text/tool-results.ts';
import { encloseUntrusted, withCitationNumber } from '../../prompt-text/untrusted.ts';
import { type FittingMessage, weightOfMessage } from './token-estimate.ts';
import { type Evicted, evictResults } from './window.ts';

const SYSTEM: FittingMessage = { role: 'SYSTEM', content: 'You are an engineer.' };
const ALERT: FittingMessage = { role: 'USER', content: encloseUntrusted('ALERT DATA', 'disk full') };
const text = (number: number, units = 2000) => `output ${number} ${'of a tool '.repeat(units / 10)}`;

/** A call and its result in a conversation with function calling. */
const turn = (number: number, units?: number): FittingMessage[] => [
  { role: 'ASSISTANT', content: '', toolCalls: [{ name: 'logs.read', arguments: `{"n":${number}}` }] },
  {
    role: 'TOOL',
    toolName: 'logs.read',
    content: withCitationNumber(number, encloseUntrusted('TOOL RESULT', text(number, units))),
  },
];
/** A call and its result in a ReAct conversation. */
const observed = (number: number): FittingMessage[] => [
  { role: 'ASSISTANT', content: `Action: logs.read\nAction Input: {"n":${number}}` },
  {
    role: 'USER',
    toolName: 'logs.read',
    content: `Observation:\n${withCitationNumber(number, encloseUntrusted('TOOL RESULT', text(number)))}`,
  },
];
const conversation = (count: number, make = turn) => [
  SYSTEM,
  ALERT,
  ...Array.from({ length: count }, (_, n) => make(n + 1)).flat(),
];
const weight = (messages: readonly FittingMessage[]) =>
  messages.reduce((sum, message) => sum + weightOfMessage(message), 0);
const numbersIn = (messages: readonly FittingMessage[]) =>
  messages.flatMap(({ content }) =>
    content.includes('removed to shorten') ? [Number(/\[T(\d+)\]/.exec(content)![1])] : [],
  );

const LIMITS = { through: 0, fixed: 0, limit: 40_000, target: 20_000 };

describe.each([
  ['function calling', turn],
  ['text', observed],
])('with %s', (_, make) => {
  test('evicts nothing below the limit', () => {
    const messages = conversation(5, make);
    expect(evictResults(messages, LIMITS)).toEqual({ messages, through: 0, numbers: [] });
  });

  test('evicts the oldest results down to the target, and leaves a line with the number of each', () => {
    const messages = conversation(30, make);
    const evicted = evictResults(messages, LIMITS);
    expect(weight(messages)).toBeGreaterThan(LIMITS.limit);
    expect(weight(evicted.messages)).toBeLessThanOrEqual(LIMITS.target);
    expect(evicted.numbers).toEqual(Array.from({ length: evicted.numbers.length }, (__, n) => n + 1));
    expect(evicted.numbers.length).toBeLessThan(27); // no more than necessary
    expect(numbersIn(evicted.messages)).toEqual(evicted.numbers);
    const line = evicted.messages[3]!;
    expect(line.content.replace('Observation:\n', '')).toMatch(/^\[T1\] \(removed to shorten [^\n]+\)$/);
    expect({ ...line, content: '' }).toEqual({ ...messages[3], content: '' });
  });

  test('never evicts the last three results or unanswered ones', () => {
    for (const count of [3, 4, 10]) {
      const { numbers } = evictResults(conversation(count, make), { ...LIMITS, limit: 1, target: 1 });
      expect(numbers).toEqual(Array.from({ length: count - 3 }, (__, n) => n + 1));
    }
    const [call, ...results] = [...make(5), ...[6, 7, 8, 9, 10].map((n) => make(n)[1]!)];
    const together = [...conversation(4, make), call!, ...results];
    expect(evictResults(together, { ...LIMITS, limit: 1, target: 1 }).numbers).toEqual([1, 2, 3, 4]);
  });

  test('begins each request with the previous one until the next eviction', () => {
    let through = 0;
    let before: Evicted<FittingMessage> | null = null;
    let evictions = 0;
    for (let count = 1; count <= 60; count++) {
      const evicted: Evicted<FittingMessage> = evictResults(conversation(count, make), {
        ...LIMITS,
        through,
      });
      expect(weight(evicted.messages)).toBeLessThanOrEqual(LIMITS.limit);
      if (before !== null) {
        expect(evicted.numbers.slice(0, before.numbers.length)).toEqual(before.numbers);
        const isSame = evicted.through === through;
        evictions += isSame ? 0 : 1;
        if (isSame) expect(evicted.messages.slice(0, before.messages.length)).toEqual(before.messages);
      }
      ({ through } = evicted);
      before = evicted;
    }
    expect(evictions).toBeGreaterThan(2);
    expect(evictions).toBeLessThan(10);
  });

  test('evicts the same results after a resume', () => {
    const first = evictResults(conversation(30, make), LIMITS);
    const again = evictResults(structuredClone(conversation(30, make)), {
      ...LIMITS,
      through: first.through,
    });
    expect(again).toEqual(first);
    expect(evictResults(conversation(30, make), LIMITS)).toEqual(first);
  });
});

test('keeps results without a number and results shorter than their notice', () => {
  const notice: FittingMessage = {
    role: 'TOOL',
    toolName: 'a.b',
    content: encloseUntrusted('TOOL RESULT', text(9)),
  };
  const messages = [...conversation(1), ...turn(2, 0), { ...notice }, ...conversation(4).slice(2)];
  const { numbers } = evictResults(messages, { ...LIMITS, limit: 1, target: 1 });
  expect(numbers).toEqual([1, 1]);
});

test('does not mistake text of an alert or a person for a result', () => {
  const forged: FittingMessage = { role: 'USER', content: `[T1]\n${text(1)}` };
  const { numbers } = evictResults([SYSTEM, forged, ...conversation(4).slice(2)], {
    ...LIMITS,
    limit: 1,
    target: 1,
  });
  expect(numbers).toEqual([1]); // the result of the call
});

test('shows the length of a long result, the missing lines, and how to read them', () => {
  const lines = Array.from({ length: 5000 }, (_, n) => `line ${n + 1} of größe`).join('\n');
  const shown = formatToolResult(lines, 12, { whole: 4000, part: 2000 });
  expect(shown.length).toBeLessThan(2700);
  expect(shown).toContain(`5000 lines, ${Buffer.byteLength(lines)} bytes`);
  expect(shown).toContain('tarsy.search_output');
  expect(shown).toMatch(/^-----BEGIN TOOL RESULT-----\nline 1 of/m);
  expect(shown).toMatch(/line 5000 of größe\n-----END TOOL RESULT-----$/);
  const [, from, to] = /in lines (\d+) to (\d+) …\]/.exec(shown)!;
  expect(shown).toContain(`\nline ${Number(from) - 1} of`);
  expect(shown).toContain(`\nline ${Number(to) + 1} of`);
  expect(formatToolResult(lines, undefined, { whole: 4000, part: 2000 })).not.toContain('tarsy.');
  expect(formatToolResult('short', 12, { whole: 4000, part: 2000 })).toBe(
    encloseUntrusted('TOOL RESULT', 'short'),
  );
});
