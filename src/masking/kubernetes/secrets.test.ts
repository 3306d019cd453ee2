import { describe, expect, test } from 'vitest';
import { MUST_MASK_KUBERNETES } from '../../../test/fixtures/masking/must-mask-kubernetes.ts';
import { maskKubernetesSecrets } from './secrets.ts';

const mask = maskKubernetesSecrets;

describe('Secrets of Kubernetes', () => {
  test.each(MUST_MASK_KUBERNETES)('$name', ({ text, secrets, masked }) => {
    const result = mask(text);
    if (masked !== null) expect(result).toBe(masked);
    for (const secret of secrets) expect(result).not.toContain(secret);
    expect(mask(result)).toBe(result);
  });

  test.each(MUST_MASK_KUBERNETES.filter(({ masked }) => masked !== null))(
    '$name, within a result in JSON',
    ({ text, masked }) => {
      const wrap = (content: string) => JSON.stringify({ content: [{ type: 'text', text: content }] });
      expect(JSON.parse(mask(wrap(text)))).toEqual(JSON.parse(wrap(masked ?? '')));
    },
  );
});

test('each case of the corpus masks something', () => {
  for (const { name, text, secrets } of MUST_MASK_KUBERNETES) {
    for (const secret of secrets) expect(text, name).toContain(secret);
  }
});

test('finds the data of a Secret beyond a misplaced separator and keeps other documents', () => {
  const secret = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n';
  const data = 'data:\n  a: c3ludGhldGlj\n';
  const other = '---\napiVersion: v1\nkind: ConfigMap\ndata:\n  a: c3ludGhldGlj\n';
  const masked = 'data:\n  a: [MASKED_SECRET_DATA]\n';
  expect(mask(`${secret}---\n${data}${other}`)).toBe(`${secret}---\n${masked}${other}`);
  expect(mask(`${data}---\n${secret}${other}`)).toBe(`${masked}---\n${secret}${other}`);
});

test('an open bracket or quote of one document does not affect the next', () => {
  const other = '---\nkind: ConfigMap\ndata: {a: c3ludGhldGlj}\n';
  const broken = '---\nkind: Secret\nmetadata: {name: a}\ndata: {a: "c3ludGhldGlj\n';
  const masked = mask(`${broken}${other}`);
  expect(masked.endsWith(other)).toBe(true);
  expect(masked.slice(0, -other.length)).not.toContain('c3ludGhldGlj');
});

test('masks possible data in text with thousands of unreadable Secrets', () => {
  const torn = '{"data":{"a":"c3ludGhldGlj","b":"{\\"kind\\":\\"Secret\\",'.repeat(3_000);
  const masked = mask(`before\n---\n${torn}\n---\nafter`);
  expect(masked.includes('c3ludGhldGlj')).toBe(false);
  expect(masked.startsWith('before\n---\n') && masked.endsWith('\n---\nafter')).toBe(true);
  const sentences = 'Watching the kind: Secret now.\n'.repeat(3_000);
  expect(mask(sentences)).toBe(sentences);
});

test('masks readable Secrets beside thousands of unreadable ones', () => {
  const sentences = 'Watching the kind: Secret now.\n'.repeat(3_000);
  const secrets = [
    '{"kind":"Secret","metadata":{"name":"a"},"password":"Syn7hetic!password"}\n',
    'Name: a\nType: Opaque\nData\n====\npassword: Syn7hetic!password\n\n',
    'kind: Secret\nmetadata:\n  name: a\nstringData:\n  password: Syn7hetic!password\n\n',
    `x: ${JSON.stringify('{"kind":"Secret","metadata":{"name":"a"},"password":"Syn7hetic!password"}')}\n`,
    `msg=${JSON.stringify('Name: a\nType: Opaque\nData\n====\npassword: Syn7hetic!password\n')}\n`,
  ];
  for (const secret of secrets) {
    for (const text of [secret + sentences, sentences + secret]) {
      const masked = mask(text);
      expect(masked, secret).not.toContain('Syn7hetic');
      expect(mask(masked)).toBe(masked);
    }
  }
});

test('masks base64 in a text that is truncated before its kind, also in a quoted value over several lines', () => {
  const text =
    '{ "metadata": { "name": "a" },\n  "data": {\n    "a": "c3ludGhldGljIHN5bnRo\\\n      ZXRpYyBz"\n},\n';
  const masked = mask(text);
  expect(masked).not.toMatch(/c3lud|ZXRpY/);
  expect(mask(masked)).toBe(masked);
});

test('masks a piece that ends before its last field because of a missing bracket', () => {
  const text = '{"kind":"Secret","metadata":{"name":"a"},"stringData":},"data":{"a":"c3ludGhldGlj"}}\n';
  const masked = mask(text);
  expect(masked).not.toContain('c3ludGhldGlj');
  expect(mask(masked)).toBe(masked);
});

const HEAD = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n';

test.each([
  [
    'an empty field, where a bracket is lost',
    '{type: Opaque, kind: Secret, stringData: }, data: {a: c3ludGhldGljc3lu}}\n',
  ],
  [
    'a bracket too many in a block of lines',
    `${HEAD}stringData:\n  a: |-\n    one\n{\n    } c3ludGhldGljc3lu\n`,
  ],
  [
    'a value that begins with a colon',
    '{kind: Secret, metadata: {name: a}, stringData: {a: :&c3ludGhldGljc3lu, b: "x"}}\n',
  ],
  [
    'a value that a colon follows',
    `-- Here:\n${`${HEAD}stringData:\n  a b: |-\n    x\n    zqxamfupp-:|/\n`.replace(/^/gm, '-')}`,
  ],
  [
    'a bracket within a value',
    `- kind: Secret\n  stringData:\n{\n    x: ;}9c3ludGhldGljc3lu*+\n  type: Opaque\n`,
  ],
  ['words beyond ASCII', `${HEAD}data:\n  "a: пароль-слово\n`],
  [
    'a line of a value that looks like a name',
    `x: |\n${`${HEAD}stringData:\n  a: "x\n\n      zqxamfupp:\n\n      y"\n`.replace(/^(?=.)/gm, '  ')}}\n  type: Opaque\n`,
  ],
  [
    'a line of a value that looks like a sentence',
    `${HEAD}stringData:\n  a: |-\n    one\n{\n    zqxamfupp staple battery horse.\n`,
  ],
])('masks text that cannot be read cleanly: %s', (_, text) => {
  const masked = mask(text);
  expect(masked).not.toMatch(/c3ludGhldGljc3lu|пароль|zqxamfupp/);
  expect(mask(masked)).toBe(masked);
});

test.each([
  [
    'signs that were left of values',
    `${HEAD}stringData:\n  "a": "][x1y2z3\n\n    =x1y2z3"=\n  b: c\n"d: e\n`,
  ],
  [
    'a key that is cut off',
    `- ${JSON.stringify('kind')}: "Secret"\n  "metadata":\n    "name": "a"\n  "data":\n    "x": "c3ludA=="\n    "ki`,
  ],
  [
    'an escaped sign before a quote',
    "'kind': 'Secret'\n'metadata':\n  'name': 'a'\n'stringData':\n  'a': '=\\''x1y2z3'\n",
  ],
  [
    'what was not read at first, and can be read now',
    `${`${HEAD}data:\n  a: c3ludA==\n`.replace(/^/gm, '+')}---\n${`${HEAD}  annotations:\n    b: ${JSON.stringify('{"kind":"Secret","metadata":{"name":"a"},"type":"Opaque"}')}\ntype: Opaque\n`.replace(/^/gm, '+')}`,
  ],
  ['a number before a colon', `${HEAD}stringData:\n  "a": "x1y2z3\n\n    2:]x1y2z3"=\n  b: c\n"d: e\n`],
])('masking again changes nothing: %s', (_, text) => {
  const masked = mask(text);
  expect(masked).toContain('[MASKED_SECRET_DATA]');
  expect(mask(masked)).toBe(masked);
});
