import { expect, test } from 'vitest';
import { MASKING_GROUP_PATTERNS } from '../config/masking-names.ts';
import { maskArgumentsText, WITHHELD_ARGUMENTS } from './arguments.ts';
import { maskPatterns } from './patterns.ts';

const security = new Set([...MASKING_GROUP_PATTERNS.security, 'kubernetes_secret' as const]);
const mask = (text: string) => maskArgumentsText(text, (each) => maskPatterns(each, security));

test.each([
  '{"namespace":"default",  "limit": 5, "all": true}',
  '{"query":"sum(rate(http_requests_total[5m])) by (pod)"}',
  'namespace: default, limit: 5',
  '{"broken": ',
  '',
])('keeps arguments without secrets byte for byte: %s', (text) => {
  expect(mask(text)).toBe(text);
});

test.each<[given: string, kept: string]>([
  ['{"user":"app","password":"Syn7hetic!"}', '{"user":"app","password":"[MASKED_PASSWORD]"}'],
  [
    '{"url":"postgres://app:Syn7hetic@db/app","n": 5}',
    '{"url":"postgres://app:[MASKED_PASSWORD]@db/app","n": 5}',
  ],
  [
    '{"env":[{"name":"DB_PASSWORD","value":"Syn7hetic!"}]}',
    '{"env":[{"name":"DB_PASSWORD","value":"[MASKED_PASSWORD]"}]}',
  ],
  [
    '{"manifest":{"kind":"Secret","metadata":{"name":"a"},"data":{"x":"c3ludGhldGlj"}}}',
    '{"manifest":{"kind":"Secret","metadata":{"name":"a"},"data":{"x":"[MASKED_SECRET_DATA]"}}}',
  ],
  ['password: Syn7hetic!', 'password: [MASKED_PASSWORD]'],
])('replaces only the secret: %s', (given, kept) => {
  expect(mask(given)).toBe(kept);
  expect(mask(kept)).toBe(kept);
});

test('quotes a masked number to keep valid JSON, and keeps other numbers', () => {
  const masked = mask(
    '{"password": 12345678, "limit": 5, "all": true, "more": [null, {"pin_password": 99887766}]}',
  );
  expect(JSON.parse(masked)).toEqual({
    password: '[MASKED_PASSWORD]',
    limit: 5,
    all: true,
    more: [null, { pin_password: '[MASKED_PASSWORD]' }],
  });
});

test('withholds arguments that cannot be masked', () => {
  const failing = () => {
    throw new Error('Syn7hetic');
  };
  expect(maskArgumentsText('{"password":"Syn7hetic!"}', failing)).toBe(WITHHELD_ARGUMENTS);
  const breaking = (text: string) => text.replaceAll('"', '');
  expect(maskArgumentsText('{"password":"Syn7hetic!"}', breaking)).toBe(WITHHELD_ARGUMENTS);
  expect(JSON.parse(WITHHELD_ARGUMENTS)).toEqual({ withheld: '[MASKED_ARGUMENTS]' });
});
