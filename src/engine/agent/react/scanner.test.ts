import { describe, expect, it, test } from 'vitest';
import { parseReact } from '../react-parser.ts';
import { createScanner } from './scanner.ts';
import type { ShownText } from './sections.ts';

/** Deterministic numbers in [0, 1), so that a failure can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const PIECES = [
  ...[
    'Thought:',
    'Action:',
    'Action Input:',
    'Final Answer:',
    'Observation:',
    ' Observation: x',
    '{"a": 1}',
    'Action Input: {"a": [',
    'Thought',
    'Action',
    'Final Answer',
  ],
  ...[
    'thought:',
    'action:',
    'action input:',
    'final answer:',
    '## Final Answer:',
    '**Thought:**',
    '**Action:',
    '[Based on',
  ],
  ...[
    '\n',
    '\n',
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    ' ',
    ' ',
    '  ',
    '\t',
    '.',
    '!',
    '?',
    '. ',
    '**',
    '`',
    '***',
    '_',
    '#',
    '> ',
  ],
  ...[
    's.t',
    'tools.echo',
    'a.b.c',
    's.',
    '.t',
    's..t',
    'tool',
    '(a=1)',
    'a: 1',
    'a=b',
    '{"a": 1}',
    '{',
    '}',
    '[',
    ']',
  ],
  ...[
    '```json\n',
    '```',
    '- x',
    '  - y',
    'k:\n  v: 1',
    'k: |\n  line',
    '"',
    "'",
    '\\',
    ',',
    ':',
    '：',
    '=',
    '{{',
    '&a',
    '*a',
  ],
  ...[
    'word ',
    'a longer sentence about pods',
    'größer',
    '磁盘。',
    '🚨',
    '\ud83d',
    '\udea8',
    '\0',
    'Please specify',
    '\u2028',
  ],
];

/** What sections begin with, in an order that often makes sense. */
const HEADERS = ['Thought: ', 'Action: ', 'Action Input: ', 'Observation: ', 'Final Answer: '];

/** Texts that look like responses, more or less: half of them noise, half of them sections with noise in them. */
function generate(random: () => number): string {
  const noise = (most: number) =>
    Array.from(
      { length: Math.floor(random() * most) },
      () => PIECES[Math.floor(random() * PIECES.length)]!,
    ).join('');
  if (random() < 0.5) return noise(30);
  const decorate = (header: string) => {
    const way = random();
    if (way < 0.1) return header.toLowerCase();
    if (way < 0.2) return `**${header.trim()}** `;
    return way < 0.25 ? `## ${header}` : header;
  };
  const sections = HEADERS.filter(() => random() < 0.6).map((header) => {
    const name = random() < 0.3 ? 'search' : 's.t';
    const body = header === 'Action: ' ? name + noise(1.3) : noise(6);
    return decorate(header) + body + (random() < 0.9 ? '\n' : '.');
  });
  return (random() < 0.2 ? noise(3) : '') + sections.join('');
}

function cutAtRandom(text: string, random: () => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = random() < 0.5 ? 1 : 1 + Math.floor(random() * 12);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

/** What a client sees of a response: the texts of its sections, and whether each was ended. */
function shownOf(pieces: readonly string[]) {
  const scanner = createScanner();
  const events = [...pieces.flatMap((piece) => scanner.push(piece)), ...scanner.end()];
  const join = (texts: readonly ShownText[]) => texts.map(({ text }) => text).join('');
  const thoughts: string[] = [];
  let open = '';
  for (const { text, isEnd } of events.filter(({ section }) => section === 'thought')) {
    open += text;
    if (!isEnd) continue;
    thoughts.push(open);
    open = '';
  }
  const final = join(events.filter(({ section }) => section === 'final'));
  return { thoughts, left: open, final, steps: scanner.steps(), stoppedAt: scanner.stoppedAt() };
}

test('10,000 generated responses: nothing throws, and pieces say what the whole says', () => {
  const random = randomFrom(20261121);
  const kinds = new Map<string, number>();
  for (let run = 0; run < 10_000; run += 1) {
    const text = generate(random);
    const parsed = parseReact(text);
    kinds.set(parsed.kind, (kinds.get(parsed.kind) ?? 0) + 1);
    const whole = shownOf([text]);
    const { steps: _, ...streamed } = shownOf(cutAtRandom(text, random));
    const { steps: __, ...atOnce } = whole;
    expect(streamed, JSON.stringify(text)).toEqual(atOnce);
    expect(streamed.final, JSON.stringify(text)).toBe(parsed.finalAnswer ?? '');
    expect(streamed.thoughts.findLast((thought) => thought !== '') ?? null).toBe(parsed.thought);
    expect(streamed.left).toBe('');
  }
  // The generator reaches every kind of response often, or it would test little.
  for (const kind of ['thought_action', 'final_answer', 'unknown_tool', 'malformed']) {
    expect(kinds.get(kind), kind).toBeGreaterThan(100);
  }
});

test('text is shown as soon as it cannot be a header any more', () => {
  const scanner = createScanner();
  const shown = (piece: string) =>
    scanner
      .push(piece)
      .map(({ text }) => text)
      .join('');
  expect(shown('Thou')).toBe('');
  expect(shown('ght: I look')).toBe('I look');
  expect(shown(' at it. ')).toBe(' at it.');
  expect(shown('A')).toBe('');
  expect(shown('ll is')).toBe(' All is');
  expect(shown(' well. Final Ans')).toBe(' well.');
  expect(shown('wer: Do')).toBe('Do');
  expect(shown(' this.\nAction: s.t')).toBe(' this.');
  expect(shown('\nnow')).toBe('');
  expect(
    scanner
      .end()
      .map(({ text }) => text)
      .join(''),
  ).toBe('\nAction: s.t\nnow');
});

const SIZE = 100_000;
const repeat = (part: string, head = '') => head + part.repeat(Math.ceil(SIZE / part.length));

/** Texts made to be slow: each repeats what makes a reader look ahead, look back or start again. */
const ADVERSARIAL: Record<string, (size: number) => string> = Object.fromEntries(
  Object.entries({
    'one line': repeat('x', 'Thought: '),
    spaces: `${repeat(' ', 'Thought: a')}b`,
    'spaces at line starts': repeat(`${' '.repeat(70)}\n`),
    newlines: repeat('\n', 'Thought: a'),
    'sentences without space': repeat('a.', 'Thought: '),
    'boundaries and marks': repeat('. ` * ', 'Thought: '),
    'long marks': repeat(`.${' `*'.repeat(20)}`, 'Thought: '),
    'actions inside a line': repeat('.Action: ', 'Thought: '),
    'actions inside a line with names': repeat('x.Action: a.b', 'Thought: '),
    'actions with long names': repeat(`.Action: ${'a'.repeat(200)}`, 'Thought: '),
    'actions with blank lines': repeat(`.Action:${'\n'.repeat(300)}`, 'Thought: '),
    'final answers': repeat('Final Answer: x\n'),
    'final answers inside a line': repeat('x.Final Answer: ', 'Thought: '),
    thoughts: repeat('Thought: x\n'),
    'action lines': repeat('Action: a.b\n'),
    'one action line': repeat('action ', 'Action: a.b '),
    'marks before inputs': repeat('**', 'Action: a.b '),
    'actions in an answer': repeat('Action: a.b\n', 'Final Answer: x\n'),
    'actions in an answer that are none': repeat('Action: a b\n', 'Final Answer: x\n'),
    'lower case actions': repeat('action: a b\n', 'Thought: x\n'),
    'words for the recovery': repeat('Action ', 'Thought: '),
    'lines for the recovery': repeat('Action\nb\n', 'Thought: '),
    'observations that are quoted': repeat('Observation: Error in reasoning\n', 'Thought: x\n'),
    'headers that begin': repeat('Final Answe\n', 'Thought: x\n'),
    hashes: repeat('#', 'Thought: x\n'),
    'stars at line starts': repeat('***\n', 'Thought: x\n'),
    'open emphasis': repeat('** ', '**Thought: '),
    'a name that never ends': repeat('a', 'Action: '),
    'a dotted name': `${repeat('a.', 'Action: ')}\nAction Input: x`,
    parentheses: `${repeat('(', 'Action: a.b')}\nAction Input:`,
    'input lines': repeat('a: 1\n', 'Action: a.b\nAction Input: '),
    'input spaces': `${repeat(' ', 'Action: a.b\nAction Input: ```json')}x`,
    'input newlines': `${repeat('\n', 'Action: a.b\nAction Input: ```')}x`,
    'input brackets': repeat('[', 'Action: a.b\nAction Input: '),
    'input braces': repeat('{"a":', 'Action: a.b\nAction Input: '),
    'input quotes': repeat('a: "', 'Action: a.b\nAction Input: '),
    'input commas': repeat(', a', 'Action: a.b\nAction Input: a: 1'),
    'input dashes': repeat('- ', 'Action: a.b\nAction Input: '),
    'input fences': repeat('\n```x', 'Action: a.b\nAction Input: ```'),
    'inputs again': repeat('Action Input: x\n', 'Action: a.b\n'),
    'yaml as large as it is read': `Action: a.b\nAction Input: x:\n${'  - {a: [1, b]}\n'.repeat(500)}`,
    'repeated keys': `Action: a.b\nAction Input: ${'l:\n- a\n'.repeat(1000)}`,
  }).map(([name, text]) => [name, (size: number) => text.slice(0, size)]),
);

describe('100 kB made to be slow', () => {
  it.each(Object.entries(ADVERSARIAL))('%s: the work grows with the text, not faster', (_, make) => {
    const full = shownOf([make(SIZE)]).steps;
    const half = shownOf([make(SIZE / 2)]).steps;
    expect(full).toBeLessThan(make(SIZE).length * 60);
    expect(full).toBeLessThanOrEqual(Math.max(half, 1000) * 2.5);
  });

  it.each(Object.entries(ADVERSARIAL))('%s: in less than 50 ms', (_, make) => {
    const text = make(SIZE);
    // The processor's time, not the clock's, and the best of several: other processes must not make this fail.
    let best = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 10 && best >= 50; run += 1) {
      const before = process.cpuUsage();
      parseReact(text);
      const { user, system } = process.cpuUsage(before);
      best = Math.min(best, (user + system) / 1000);
    }
    expect(best).toBeLessThan(50);
  });

  it.each(Object.entries(ADVERSARIAL))('%s: arriving letter by letter, too', (_, make) => {
    const text = make(20_000);
    const startedAt = performance.now();
    const letterByLetter = shownOf([...text]);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(letterByLetter.final).toBe(shownOf([text]).final);
    expect(letterByLetter.steps).toBeLessThan(text.length * 1_200);
  });
});
