import { expect, test } from 'vitest';
import { parseReact } from '../react-parser.ts';
import type { OpenItem } from '../transcript.ts';
import { createReactItems } from './items.ts';

/** Deterministic numbers in [0, 1), so that a failure can be repeated. */
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

/** A response with a secret in the input of a call. */
function generate(random: () => number): string {
  const pick = (of: readonly string[]) => of[Math.floor(random() * of.length)]!;
  const noise = (most: number) =>
    Array.from({ length: Math.floor(random() * most) }, () => pick(PIECES)).join('');
  return `${noise(8)}\n${pick(ACTIONS)}${random() < 0.2 ? noise(3) : ''}${pick(INPUTS)}{"a": "${SECRET}"}${noise(8)}`;
}

/** Shows a response that arrives in these pieces; what became of its items. */
async function shown(pieces: readonly string[]) {
  const items: { type: string; text: string; isOpen: boolean }[] = [];
  const shows = createReactItems({
    async openItem(type) {
      const item = { type: type as string, text: '', isOpen: true };
      items.push(item);
      const open: OpenItem = {
        id: String(items.length),
        async append(delta) {
          expect(item.isOpen).toBe(true);
          item.text += delta;
        },
        async close(end) {
          expect([item.isOpen, end.content]).toEqual([true, undefined]);
          item.type = end.type ?? item.type;
          item.isOpen = false;
          return item.text;
        },
      };
      return open;
    },
    async addEvent({ type, content }) {
      items.push({ type, text: content, isOpen: false });
      return {} as never;
    },
  });
  for (const piece of pieces) await shows.write(piece);
  const soFar = items.map(({ text }) => text).join('');
  await shows.end();
  const response = parseReact(pieces.join(''));
  if (response.kind === 'final_answer') await shows.conclude(response.finalAnswer);
  else await shows.withdrawAnswer();
  return { response, items, soFar };
}

function cut(text: string, random: () => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)!.length) {
    pieces.push(text.slice(at, at + 1 + Math.floor(random() * 12)));
  }
  return pieces;
}

test('the arguments of a call are never shown, however the response is written and cut', async () => {
  const random = randomFrom(20261122);
  const kinds = new Map<string, number>();
  for (let run = 0; run < 5_000; run += 1) {
    const pieces = cut(generate(random), random);
    const { response, items, soFar } = await shown(pieces);
    kinds.set(response.kind, (kinds.get(response.kind) ?? 0) + 1);
    expect(soFar, JSON.stringify(pieces)).not.toContain(SECRET);
    const kept = items.filter(({ type }) => type !== 'FINAL_ANALYSIS');
    expect(kept.map(({ text }) => text).join(), JSON.stringify(pieces)).not.toContain(SECRET);
    expect(items.every(({ isOpen }) => !isOpen)).toBe(true);
    const finals = items.filter(({ type }) => type === 'FINAL_ANALYSIS');
    expect(finals.map(({ text }) => text)).toEqual(
      response.kind === 'final_answer' ? [response.finalAnswer] : [],
    );
  }
  // The generator reaches every kind of response often, or it would test little.
  for (const kind of ['thought_action', 'final_answer', 'unknown_tool', 'malformed']) {
    expect(kinds.get(kind), kind).toBeGreaterThan(50);
  }
});

test('a thought and an answer are shown while they arrive, without their headers', async () => {
  const random = randomFrom(1);
  const answer = `It is the disk. ${'It grows. '.repeat(20)}Next action: clean it. Then look again.`;
  for (let run = 0; run < 50; run += 1) {
    const { items, soFar } = await shown(
      cut(`**Thought:** I know.\n\n## Final Answer:\n${answer}\n`, random),
    );
    expect(items).toEqual([
      { type: 'LLM_THINKING', text: 'I know.', isOpen: false },
      { type: 'FINAL_ANALYSIS', text: answer, isOpen: false },
    ]);
    expect(soFar).toContain('It grows. It grows.');
    expect(soFar).not.toContain('clean it');
  }
});

test('a thought that speaks of an action is completed at its end', async () => {
  const thought = `I take action: the pods first. ${'x '.repeat(40)}end`;
  const { items } = await shown([`Thought: ${thought}\nAction: s.t\nAction Input: {"a": "${SECRET}"}`]);
  expect(items).toEqual([{ type: 'LLM_THINKING', text: thought, isOpen: false }]);
});

test('a thought in which arguments stand where no one looks for them stays as far as it was shown', async () => {
  const text = `Thought: I ask. Action Input: {"a": "${SECRET}"}\nAction: s.t\nAction Input: {}`;
  const { items, response } = await shown([text]);
  expect(response.thought).toContain(SECRET);
  expect(items).toEqual([{ type: 'LLM_THINKING', text: 'I ask.', isOpen: false }]);
});

test('50,000 spaces, one by one: the work does not grow with what came before', async () => {
  const before = process.cpuUsage();
  await shown(['Thought: a', ...Array.from({ length: 50_000 }, () => ' '), 'b']);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5);
});
