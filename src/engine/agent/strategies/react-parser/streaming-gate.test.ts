import { expect, test } from 'vitest';
import { expectLinear } from '../../../../../test/helpers/cpu-time.ts';
import type { LlmTool } from '../../../model/client.ts';
import { reactText } from '../react.ts';
import { createGate } from './parse.ts';

/** Returns a generator of deterministic numbers in [0, 1), so that a failure can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const SECRET = 'Syn7hetic';
const PIECES = [
  ...[
    'Thought:',
    'Action',
    'Action:',
    'Final Answer:',
    'Observation:',
    'Final Answer',
    'action:',
    '**Thought:**',
    '[Based on',
  ],
  ...['\n', '\n\n', '\r\n', ' ', '  ', '\t', '.', '. ', '**', '`', '#', '> ', ':', '：'],
  ...['s.t', 'tool', '(a=1)', 'a: 1', '{', '}', '```', 'words of a sentence', '磁盘。', '🚨'],
];
const ACTIONS = [
  'Action: s.t\n',
  '**Action:** `s.t`\n',
  'action: s.t\n',
  'Done.Action: s.t ',
  '> Action: s.t\n',
  'Action\ns.t\n',
  'ACTION: tool\n',
];
const INPUTS = [
  'Action Input: ',
  '**Action Input:** ',
  'action_input: ',
  'ACTION INPUT : ',
  'Action Input\t：',
  '> Action Input: ',
];

/** Generates a ReAct response with a secret in the input of a tool call. */
function generate(random: () => number): string {
  const pick = (of: readonly string[]) => of[Math.floor(random() * of.length)]!;
  const noise = (most: number) =>
    Array.from({ length: Math.floor(random() * most) }, () => pick(PIECES)).join('');
  return `${noise(8)}\n${pick(ACTIONS)}${random() < 0.2 ? noise(3) : ''}${pick(INPUTS)}{"a": "${SECRET}"}${noise(8)}`;
}

const TOOLS = ['s.t', 'a.b'].map((name) => ({ name, description: '', inputSchema: {} }) as LlmTool);
const codec = reactText({ maskToolResult: (_, text) => text });

/** Streams a response in pieces. Returns the text shown during streaming and the final content of its timeline item. */
function shown(pieces: readonly string[]) {
  const gate = createGate();
  const soFar = pieces.map((piece) => gate.add(piece)).join('');
  const all = soFar + gate.end();
  const reading = codec.read({ text: pieces.join(''), toolCalls: [], shown: all }, TOOLS, 3);
  return { soFar, all, turn: reading.turn, said: { content: all, ...reading.said } };
}

function cut(text: string, random: () => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)!.length) {
    pieces.push(text.slice(at, at + 1 + Math.floor(random() * 12)));
  }
  return pieces;
}

test('never shows the arguments of a call, however the response is written and cut', () => {
  const random = randomFrom(20261122);
  const kinds = new Map<string, number>();
  for (let run = 0; run < 5_000; run += 1) {
    const pieces = cut(generate(random), random);
    const { all, turn, said } = shown(pieces);
    kinds.set(turn.kind, (kinds.get(turn.kind) ?? 0) + 1);
    expect(all, JSON.stringify(pieces)).not.toContain(SECRET);
    // Viewers see a final analysis unchanged.
    if (said.type === 'FINAL_ANALYSIS') expect(said.content).toBe(turn.kind === 'final' && turn.analysis);
    else expect(said.content, JSON.stringify(pieces)).not.toContain(SECRET);
  }
  // Asserts that the generator produces every kind of response often, because otherwise this test proves little.
  for (const kind of ['calls', 'final', 'unusable']) expect(kinds.get(kind), kind).toBeGreaterThan(50);
});

test('streams text without its first header, up to a possible call', () => {
  const random = randomFrom(1);
  const answer = `It is the disk. ${'It grows. '.repeat(20)}Next action: clean it. Then look again.`;
  for (let run = 0; run < 50; run += 1) {
    const { soFar, said } = shown(cut(`## **Final Answer:** ${answer}\n`, random));
    expect(soFar).toMatch(/^It is the disk\. .*It grows\. It grows\./);
    expect(soFar).not.toContain('clean it');
    expect(said).toEqual({ type: 'FINAL_ANALYSIS', content: answer });
  }
});

test('turns streamed text into a thought if an answer or a call follows', () => {
  const thought = `I take action: the pods first. ${'x '.repeat(40)}end`;
  const called = shown([`Thought: ${thought}\nAction: s.t\nAction Input: {"a": "${SECRET}"}`]);
  expect(called.said).toMatchObject({ type: 'LLM_THINKING', content: thought });
  const concluded = shown([`Thought: ${thought}\nFinal Answer: X`]);
  expect(concluded.said).toMatchObject({ type: 'LLM_THINKING', content: thought });
});

test('keeps only the shown part of a thought that may contain arguments', () => {
  const text = `Thought: I ask. Action Input: {"a": "${SECRET}"}\nAction: s.t\nAction Input: {}`;
  const { said, turn } = shown([text]);
  expect(turn.kind).toBe('calls');
  expect(said).toMatchObject({ type: 'LLM_THINKING', content: 'I ask.' });
});

test('handles 50,000 single spaces in linear time', () => {
  const pieces = (size: number) => ['Thought: a', ...Array.from({ length: size }, () => ' '), 'b'];
  expectLinear(pieces, shown, 50_000);
});
