import { pino } from 'pino';
import { expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { KEEP_FIELD } from '../../test/fixtures/masking/corpus/keep-field.ts';
import { KEEP_FIELD_PROGRAMS } from '../../test/fixtures/masking/corpus/keep-field-programs.ts';
import { KEEP_FRESH } from '../../test/fixtures/masking/corpus/keep-fresh.ts';
import { KEEP_PLATFORMS } from '../../test/fixtures/masking/corpus/keep-platforms.ts';
import { KEEP_PROGRAMS } from '../../test/fixtures/masking/corpus/keep-programs.ts';
import { markedLines } from '../../test/fixtures/masking/corpus/marked.ts';
import { MASK_CLOUD } from '../../test/fixtures/masking/corpus/mask-cloud.ts';
import { MASK_DATABASES } from '../../test/fixtures/masking/corpus/mask-databases.ts';
import { MASK_FIELD_CI } from '../../test/fixtures/masking/corpus/mask-field-ci.ts';
import { MASK_FIELD_CLOUD } from '../../test/fixtures/masking/corpus/mask-field-cloud.ts';
import { MASK_FIELD_CODE } from '../../test/fixtures/masking/corpus/mask-field-code.ts';
import { MASK_FIELD_DATABASES } from '../../test/fixtures/masking/corpus/mask-field-databases.ts';
import { MASK_FIELD_HTTP } from '../../test/fixtures/masking/corpus/mask-field-http.ts';
import { MASK_FIELD_KUBERNETES } from '../../test/fixtures/masking/corpus/mask-field-kubernetes.ts';
import { MASK_FIELD_SETTINGS } from '../../test/fixtures/masking/corpus/mask-field-settings.ts';
import { MASK_FRESH_HOSTS } from '../../test/fixtures/masking/corpus/mask-fresh-hosts.ts';
import { MASK_FRESH_TOOLS } from '../../test/fixtures/masking/corpus/mask-fresh-tools.ts';
import { MASK_KUBERNETES } from '../../test/fixtures/masking/corpus/mask-kubernetes.ts';
import { MASK_PROGRAMS } from '../../test/fixtures/masking/corpus/mask-programs.ts';
import { MASK_SERVICES } from '../../test/fixtures/masking/corpus/mask-services.ts';
import { KNOWN_MISSES } from '../../test/fixtures/masking/corpus/misses.ts';
import { createMasking } from './masking.ts';

/** Returns a function that masks tool results by the default configuration. */
async function maskAsDelivered(): Promise<(text: string) => string> {
  const { maskToolResult } = createMasking(await loadText(''), pino({ enabled: false }));
  return (text) => maskToolResult('unknown', text);
}

const MASK = [MASK_DATABASES, MASK_KUBERNETES, MASK_CLOUD, MASK_SERVICES, MASK_PROGRAMS].flatMap(markedLines);
/** Output of further tools, collected independently of the rules, so that it tests them. */
const MASK_FIELD = [
  MASK_FIELD_CI,
  MASK_FIELD_CLOUD,
  MASK_FIELD_CODE,
  MASK_FIELD_DATABASES,
  MASK_FIELD_HTTP,
  MASK_FIELD_KUBERNETES,
  MASK_FIELD_SETTINGS,
].flatMap(markedLines);
const KEPT = Object.entries({ ...KEEP_PLATFORMS, ...KEEP_PROGRAMS }).flatMap(([tool, texts]) =>
  texts.map((text) => ({ tool, text })),
);
const KEPT_FIELD = Object.values({ ...KEEP_FIELD, ...KEEP_FIELD_PROGRAMS }).flat();
/** Output of tools for which no rule was written before their lines were collected. */
const MASK_FRESH = [MASK_FRESH_TOOLS, MASK_FRESH_HOSTS].flatMap(markedLines);
const KEPT_FRESH = Object.values(KEEP_FRESH).flat();
/** Smallest share of lines that must be masked (of those with a secret) or kept (of those without). */
const LEAST_SHARE = 0.98;
/** Smallest share of lines that must be masked within a string of JSON or a block of YAML. */
const LEAST_SHARE_WITHIN = 0.96;

/** Expects that exactly the known misses were missed, and that each has a reason. */
function expectMisses(missed: readonly string[], known: Readonly<Record<string, string>>, all: number): void {
  expect(missed.toSorted()).toEqual(Object.keys(known).toSorted());
  expect(Object.values(known).every((reason) => reason.length > 20)).toBe(true);
  expect(1 - missed.length / all).toBeGreaterThanOrEqual(LEAST_SHARE);
}

test('masks secrets in tool output with the default configuration', async () => {
  const mask = await maskAsDelivered();
  expect(MASK.length).toBeGreaterThanOrEqual(400);
  const missed = MASK.filter(({ text, secrets }) => {
    expect(
      secrets.every((secret) => secret.length > 0 && text.includes(secret)),
      text,
    ).toBe(true);
    expect(secrets, text).not.toEqual([]);
    const masked = mask(text);
    expect(mask(masked), text).toBe(masked);
    return secrets.some((secret) => masked.includes(secret));
  });
  expectMisses(
    missed.map(({ text }) => text),
    KNOWN_MISSES.masked,
    MASK.length,
  );
});

test('masks a secret within JSON as it does alone', async () => {
  const mask = await maskAsDelivered();
  for (const { text, secrets } of MASK) {
    if (text in KNOWN_MISSES.masked || text in KNOWN_MISSES.inString) continue;
    const masked = mask(JSON.stringify({ content: [{ type: 'text', text }] }));
    for (const secret of secrets) expect(masked, text).not.toContain(secret);
  }
});

test('keeps text that describes secrets', async () => {
  const mask = await maskAsDelivered();
  expect(KEPT.length).toBeGreaterThanOrEqual(250);
  const changed = KEPT.filter(({ text }) => mask(text) !== text);
  expectMisses(
    changed.map(({ text }) => text),
    KNOWN_MISSES.kept,
    KEPT.length,
  );
});

/** Expects that each missed text begins like a known miss, and each known miss was missed. */
function expectFieldMisses(
  missed: readonly string[],
  known: Readonly<Record<string, string>>,
  all: number,
): void {
  const begins = Object.keys(known);
  expect(missed.filter((text) => !begins.some((begin) => text.startsWith(begin)))).toEqual([]);
  expect(begins.filter((begin) => !missed.some((text) => text.startsWith(begin)))).toEqual([]);
  expect(Object.values(known).every((reason) => reason.length > 20)).toBe(true);
  expect(1 - missed.length / all).toBeGreaterThanOrEqual(LEAST_SHARE);
}

test.each([
  ['further', MASK_FIELD, KNOWN_MISSES.maskedField, 700],
  ['fresh', MASK_FRESH, KNOWN_MISSES.maskedFresh, 120],
] as const)('masks secrets in the output of %s tools', async (_, lines, known, least) => {
  const mask = await maskAsDelivered();
  expect(lines.length).toBeGreaterThanOrEqual(least);
  const missed = lines.filter(({ text, secrets }) => {
    expect(secrets, text).not.toEqual([]);
    const masked = mask(text);
    expect(mask(masked), text).toBe(masked);
    return secrets.some((secret) => masked.includes(secret));
  });
  expectFieldMisses(
    missed.map(({ text }) => text),
    known,
    lines.length,
  );
});

test.each([
  ['a string of JSON', (text: string) => JSON.stringify({ content: [{ type: 'text', text }] })],
  ['a block of YAML', (text: string) => `status: ok\noutput: |\n${text.replace(/^/gm, '  ')}\ncode: 0\n`],
])('masks secrets of all tools within %s', async (_, wrap) => {
  const mask = await maskAsDelivered();
  const lines = [...MASK, ...MASK_FIELD, ...MASK_FRESH];
  const missed = lines.filter(({ text, secrets }) => {
    const masked = mask(wrap(text));
    expect(mask(masked), text).toBe(masked);
    return secrets.some(
      (secret) => masked.includes(secret) || masked.includes(JSON.stringify(secret).slice(1, -1)),
    );
  });
  expect(1 - missed.length / lines.length).toBeGreaterThanOrEqual(LEAST_SHARE_WITHIN);
});

test.each([
  ['further', KEPT_FIELD, KNOWN_MISSES.keptField, 250],
  ['fresh', KEPT_FRESH, KNOWN_MISSES.keptFresh, 80],
] as const)('keeps the harmless output of %s tools', async (_, lines, known, least) => {
  const mask = await maskAsDelivered();
  expect(lines.length).toBeGreaterThanOrEqual(least);
  const changed = lines.filter((text) => mask(text) !== text);
  expectFieldMisses(changed, known, lines.length);
});
