import { expect, test } from 'vitest';
import { randomVendorKey, vendorExample } from '../../test/fixtures/masking/vendor-example.ts';
import { randomFrom } from '../../test/helpers/random.ts';
import { MASKING_GROUP_PATTERNS } from '../config/masking-names.ts';
import { maskPatterns } from './patterns.ts';
import { VENDOR_KEYS } from './vendor-key-table.ts';
import { findVendorKeys } from './vendor-keys.ts';

const BY_DEFAULT = new Set([...MASKING_GROUP_PATTERNS.security, 'kubernetes_secret' as const]);
const mask = (text: string) => maskPatterns(text, BY_DEFAULT);
const KEYS = VENDOR_KEYS.map(({ key }) => key);

test('the table has the documented forms of at least 70 vendors with their sources', () => {
  expect(KEYS.length).toBeGreaterThanOrEqual(100);
  expect(new Set(KEYS.map(([vendor]) => vendor.split(',')[0])).size).toBeGreaterThanOrEqual(70);
  expect(KEYS.filter(([, , source]) => !/^(?:https:\/\/|gitleaks, |trufflehog, |RFC )/.test(source))).toEqual(
    [],
  );
});

/** Texts that contain a key but no name for it, at several levels of escaping. */
const PLACES: Readonly<Record<string, (key: string) => string>> = {
  alone: (key) => key,
  'in a sentence': (key) => `2026-01-02T03:04:05Z WARN request with ${key} was refused, see the log`,
  'in quotes': (key) => `["${key}"]`,
  'in a string of JSON': (key) => JSON.stringify({ text: `first\n${key}\nlast "x"` }),
  'in a string in a string': (key) => JSON.stringify({ text: JSON.stringify({ text: `first\n${key}\t` }) }),
  'in a query': (key) => `GET /v1/x?page=2&x=${key}&y=1 HTTP/1.1`,
  'encoded for a URL': (key) => `redirect=https%3A%2F%2Fh%2F%3Fx%3D${key}%26y%3D1`,
  'in colour': (key) => `\u001b[31m${key}\u001b[0m`,
  'in a header of curl': (key) => `> X-Anything: ${key}\r\n> Accept: */*`,
};

test.each(KEYS)('%s: %s', (_, shape) => {
  const key = vendorExample(shape);
  for (const [place, put] of Object.entries(PLACES)) {
    const text = put(key);
    const masked = mask(text);
    expect(masked, place).not.toContain(key.slice(-12));
    expect(masked, place).toBe(text.replace(key, /\[MASKED_[A-Z_]+\]/.exec(masked)?.[0] ?? ''));
    expect(mask(masked), place).toBe(masked);
  }
});

const KEYS_PER_ROW = 400;

test.each(KEYS)('%s: any key of %s', (_, shape) => {
  const random = randomFrom(shape.length);
  const keys = Array.from({ length: KEYS_PER_ROW }, () => randomVendorKey(shape, random));
  expect(
    keys.filter((key) => !/^[^:]*: (?:https:\/\/)?\[MASKED_[A-Z_]+\]$/.test(mask(`value of x: ${key}`))),
  ).toEqual([]);
});

test('finds each form by its own row, but no words with the same beginning', () => {
  const found = (text: string) => findVendorKeys(text, ([pattern = null]) => pattern);
  for (const [vendor, shape] of KEYS) expect(found(vendorExample(shape)), vendor).not.toEqual([]);
  for (const text of [
    'sk-learn-pipeline-for-scoring is running',
    'hooks.slack.com/services/ is unreachable',
    'pods/pat-reader-7d9f8b6c5d-x2x4z',
    'xoxo-from-all-of-us-here',
    'age-secret-key-rotation-job-1 completed',
    'sk-ecdsa-sha2-nistp256-cert-v01',
    'key-5f4dcc3b5aa765d6',
    'gl-inet-router-mt3000-beryl-ax',
  ])
    expect(mask(text)).toBe(text);
});

test('masks a whole key of any length, after any number of false beginnings', () => {
  for (const begun of ['xoxb-', 'xapp-', 'github_pat_', 'hooks.slack.com/services/']) {
    const key = `${begun}1a2B3c4D5e6F${'x7Yz'.repeat(200)}`;
    expect(mask(`a ${key} b`)).toMatch(/^a (?:hooks\S+)?\[MASKED_[A-Z_]+\] b$/);
    expect(mask(`a ${begun.repeat(60)} ${key} b`)).not.toContain('x7Yz');
  }
});
