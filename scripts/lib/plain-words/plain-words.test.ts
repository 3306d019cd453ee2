import { expect, test } from 'vitest';
import { passagesOf } from './pages.ts';
import { stringsOf } from './strings.ts';
import { unclearSentences } from './words.ts';

const unclearOf = (passages: Parameters<typeof unclearSentences>[0]) =>
  unclearSentences(passages).map(({ prose }) => prose);

test.each([
  ["logger.warn({ err }, 'the call broke off');", ['the call broke off']],
  [`throw new Error(\`The queue is full. It has \${count} alerts.\`);`, ['It has code alerts.']],
  ['const text = isDone ? "" : "Whoever asks, waits";', ['Whoever asks, waits']],
  ["const ACCOUNTS = ['postgres', 'nobody'];", []],
  ['// Its comment is checked apart from its strings', []],
  [`const text = \`… and \${more} more. What now?\`;`, []],
])('finds unclear strings of TypeScript: %s', (code, expected) => {
  expect(unclearOf(stringsOf('src/file.ts', code))).toEqual(expected);
});

test('finds unclear strings of Python and descriptions of a schema', () => {
  const python = 'raise Failure(f"the provider broke off {why}")';
  expect(unclearOf(stringsOf('file.py', python))).toEqual(['the provider broke off {why}']);
  const schema = '"""\nWhat the list shows.\n"""\ntype List {\n  "Its size now."\n  size: Int\n}';
  expect(unclearOf(stringsOf('schema.graphql', schema))).toEqual(['What the list shows.', 'Its size now.']);
});

test('finds unclear sentences of a page, in paragraphs, lists and tables', () => {
  const page = `# What it is

A first sentence. It goes
on here, but "Whoever quotes" and \`shall\` do not count.

| What happens | then |
| --- | --- |
| a call breaks off | TARSy *retries* |

- Of all items this is one.

\`\`\`text
Output.

It is an example.
\`\`\`
`;
  expect(unclearOf(passagesOf(page))).toEqual([
    'It goes on here, but quote and code do not count.',
    'a call breaks off',
    'Of all items this is one.',
  ]);
});

test('reports the position of a text', () => {
  const code = "const first = 'plain words';\nconst second = 'That is not.';";
  expect(unclearSentences(stringsOf('file.ts', code))).toEqual([
    { at: code.indexOf("'That"), prose: 'That is not.' },
  ]);
});
