import { expect, test } from 'vitest';
import { MASKING_GROUP_PATTERNS } from '../../config/masking-names.ts';
import { maskPatterns } from './patterns.ts';

const repeated = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
const after = (head: string, piece: string) => (size: number) => head + repeated(piece, size);

/** Text that is common, and text made to be expensive. */
const SHAPES: Readonly<Record<string, (size: number) => string>> = {
  'a log': after(
    '',
    '2026-01-02T03:04:05Z INFO path=/api/v1 id=550e8400-e29b-41d4-a716-446655440000 status=200 token=abc\n',
  ),
  'a list of Secrets': after(
    '',
    '- apiVersion: v1\n  data:\n    a: c3ludGhldGlj\n  kind: Secret\n  metadata:\n    name: a\n  type: Opaque\n',
  ),
  'Secrets in JSON': after(
    '[',
    '{"apiVersion":"v1","data":{"a":"c3ludGhldGlj"},"kind":"Secret","metadata":{"name":"x"}},',
  ),
  'one line': after('', 'a'),
  'open braces': after('kind: Secret\ndata:\n', '{"a":'),
  'open brackets': after('kind: Secret\ndata:\n', '['),
  quotes: after('kind: Secret\ndata:\n', '"'),
  apostrophes: after('kind: Secret\ndata:\n', "'"),
  'open quotes on lines': after('kind: Secret\ndata:\n', 'a: "\n'),
  'open folded quotes': after('kind: Secret\ndata:\n', 'a: "x\n  '),
  backslashes: after('kind: Secret\ndata: "', '\\'),
  'escaped quotes': after('kind: Secret\ndata: "', '\\"'),
  'escaped braces': after('kind: Secret\ndata: x\n', '{\\"a\\":'),
  blanks: after('kind: Secret\ndata:\n', ' '),
  'empty lines': after('kind: Secret\ndata:\n', '\n'),
  dashes: after('kind: Secret\ndata:\n', '- '),
  colons: after('kind: Secret\ndata:\n', ':'),
  'mentions of Secrets': after('', '+kind: Secret\n+data: x\n'),
  'mentions of Secrets in a line': after('', '+kind: Secret +data: x '),
  'anchors and aliases': after('kind: Secret\nmetadata: {}\ndata: *a\n', 'x: &a *a\n'),
  'described data': after('Type: Opaque\nData\n====\n', 'key: value\n'),
  names: after('', 'password='),
  'names in quotes': after('', 'password:"'),
  'names of names': after('', '- name: DB_PASSWORD\n'),
  'one long name': after('', 'key'),
  'ends of values': after('password=', ',;&'),
  'beginnings of tokens': after('', 'eyJ'),
  'beginnings of PEM': after('', '-----BEGIN X-----\n'),
  'at signs': after('', 'a@b.'),
  'URL beginnings': after('', 'http://a:b'),
};

/** Growth is fourfold; three times that is left to memory and to the machine's other work. Quadratic is sixteenfold. */
const MOST_RATIO = 12;
/** Below this (ms) a measurement says nothing. */
const LEAST_MS = 50;

const all = new Set(MASKING_GROUP_PATTERNS.all);
function best(text: string, runs: number): number {
  return Math.min(
    ...Array.from({ length: runs }, () => {
      const start = performance.now();
      maskPatterns(text, all);
      return performance.now() - start;
    }),
  );
}

test.each(Object.entries(SHAPES))(
  'the work grows with the length only: %s',
  { timeout: 120_000 },
  (_, shape) => {
    const small = best(shape(256 * 1024), 3);
    const large = best(shape(1024 * 1024), 2);
    expect(large / Math.max(small, LEAST_MS)).toBeLessThan(MOST_RATIO);
  },
);
