import { describe, expect, test } from 'vitest';
import { MUST_KEEP, MUST_KEEP_IN_ALL } from '../../test/fixtures/masking/must-keep.ts';
import { MUST_MASK_FIELDS } from '../../test/fixtures/masking/must-mask-fields.ts';
import { MUST_MASK_FORMS, type MustMaskIn } from '../../test/fixtures/masking/must-mask-forms.ts';
import { MUST_KEEP_SETTINGS, MUST_MASK_SETTINGS } from '../../test/fixtures/masking/settings.ts';
import { MASKING_GROUP_PATTERNS, MASKING_GROUPS, type MaskingPattern } from '../config/masking-names.ts';
import { maskPatterns } from './patterns.ts';

const patternsOf = (...names: (keyof typeof MASKING_GROUP_PATTERNS)[]): ReadonlySet<MaskingPattern> =>
  new Set(names.flatMap((name) => MASKING_GROUP_PATTERNS[name]));
/** The default patterns for a server's results. */
const BY_DEFAULT = new Set([...MASKING_GROUP_PATTERNS.security, 'kubernetes_secret' as const]);
const WITHOUT_BASE64 = new Set(
  MASKING_GROUP_PATTERNS.all.filter((name) => name !== 'base64_secret' && name !== 'base64_short'),
);

function expectMasked(text: string, secrets: readonly string[], patterns: ReadonlySet<MaskingPattern>): void {
  const masked = maskPatterns(text, patterns);
  for (const secret of secrets) expect(masked).not.toContain(secret);
  expect(masked).toMatch(/\[MASKED_[A-Z0-9_]+\]/);
  expect(maskPatterns(masked, patterns)).toBe(masked);
}

describe('masks', () => {
  test.each(MUST_MASK_FIELDS)('field %#: %s', (text, ...secrets) => {
    expectMasked(text, secrets, WITHOUT_BASE64);
    expectMasked(`before\n${text}\nafter`, secrets, WITHOUT_BASE64);
    expectMasked(text, secrets, patternsOf('all'));
  });
  test.each(MUST_MASK_FORMS)('form %#, %s: %s', (...found) => {
    const [group, text, ...secrets] = found as unknown as MustMaskIn;
    expectMasked(text, secrets, patternsOf(group));
    expectMasked(`before\n${text}\nafter`, secrets, patternsOf(group));
  });
});

describe('classifies values by their surroundings', () => {
  test.each(MUST_MASK_SETTINGS)('a secret %#: %s', (text, ...secrets) => {
    expectMasked(text, secrets, BY_DEFAULT);
    expectMasked(`before\n${text}\nafter`, secrets, BY_DEFAULT);
    expectMasked(text, secrets, patternsOf('all'));
  });
  test.each(MUST_KEEP_SETTINGS)('no secret %#: %s', (text) => {
    expect(maskPatterns(text, BY_DEFAULT)).toBe(text);
    expect(maskPatterns(`before\n${text}\nafter`, BY_DEFAULT)).toBe(`before\n${text}\nafter`);
  });
});

describe('keeps', () => {
  test.each(MUST_KEEP)('%#: %s', (text) => {
    expect(maskPatterns(text, WITHOUT_BASE64)).toBe(text);
    expect(maskPatterns(`before\n${text}\nafter`, WITHOUT_BASE64)).toBe(`before\n${text}\nafter`);
  });
  test.each(MUST_KEEP_IN_ALL)('with all patterns, %#: %s', (text) => {
    expect(maskPatterns(text, patternsOf('all'))).toBe(text);
  });
});

test.each([
  ['password: Syn7hetic', 'password', 'password: [MASKED_PASSWORD]'],
  ['password: Syn7hetic # rotated in May', 'password', 'password: [MASKED_PASSWORD] # rotated in May'],
  ['{"api_key":"Ex4mpleOnly7Zq2", "a": 1}', 'api_key', '{"api_key":"[MASKED_API_KEY]", "a": 1}'],
  ['Authorization: Bearer Ex4mpleOnly7Zq2Ex4', 'token', 'Authorization: Bearer [MASKED_TOKEN]'],
  ['mail a.b@example.com!', 'email', 'mail [MASKED_EMAIL]!'],
  ['?token=Ex4mpleOnly7Zq2&page=2', 'token', '?token=[MASKED_TOKEN]&page=2'],
  ['db://u:Syn7hetic@h/x', 'password', 'db://u:[MASKED_PASSWORD]@h/x'],
  [
    'client-key-data: Ex4mpleOnly7Zq2Ex4mple',
    'certificate_authority_data',
    'client-key-data: [MASKED_CERTIFICATE_AUTHORITY_DATA]',
  ],
] as const)('replaces only the value of %s', (text, pattern, masked) => {
  expect(maskPatterns(text, new Set([pattern]))).toBe(masked);
});

test('the corpora have the stated size', () => {
  expect(MUST_MASK_FIELDS.length + MUST_MASK_FORMS.length).toBeGreaterThanOrEqual(200);
  expect(MUST_KEEP.length + MUST_KEEP_IN_ALL.length).toBeGreaterThanOrEqual(150);
});

test('a group applies only its patterns', () => {
  const text = 'password: Syn7hetic\nmail a@example.com';
  for (const group of MASKING_GROUPS) {
    const masked = maskPatterns(text, patternsOf(group));
    expect(masked.includes('a@example.com')).toBe(!patternsOf(group).has('email'));
    expect(masked.includes('Syn7hetic')).toBe(!patternsOf(group).has('password'));
  }
  expect(maskPatterns(text, new Set())).toBe(text);
});
