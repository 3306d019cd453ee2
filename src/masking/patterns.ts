import { MASKING_PATTERNS, type MaskingPattern } from '../config/masking-names.ts';
import { findBase64, findShortBase64 } from './base64.ts';
import { findEmails } from './email.ts';
import { findFields } from './fields.ts';
import { findKnown } from './find-known.ts';
import { findInCommands, findInserts } from './known-places.ts';
import { API_KEYS, ENCODED_PEM, ENCODED_PRIVATE_KEYS, PASSWORDS, SSH_KEYS, TOKENS } from './known-secrets.ts';
import { maskKubernetesSecrets } from './kubernetes/secrets.ts';
import type { Layer } from './layer.ts';
import { applyMasks, type Mask } from './masks.ts';
import { findPem } from './pem.ts';
import { findUrlPasswords } from './url-credentials.ts';
import { findVendorKeys } from './vendor-keys.ts';
import { withoutEscapes } from './without-escapes.ts';

interface PatternRule {
  /**
   * Finds secrets with a recognisable form; `null` if fields, vendor keys or Secrets cover the pattern, because these are
   * found for all patterns at once.
   */
  find: ((text: string, replacement: string) => Mask[]) | null;
}

const PATTERNS: Readonly<Record<MaskingPattern, PatternRule>> = {
  kubernetes_secret: { find: null },
  private_key: {
    find: (text, replacement) => [
      ...findPem(text, replacement, (label) => label.includes('PRIVATE KEY')),
      ...findKnown(text, ENCODED_PRIVATE_KEYS, replacement),
    ],
  },
  certificate: {
    find: (text, replacement) => [
      ...findPem(text, replacement, (label) => !label.startsWith('PGP PUBLIC')),
      ...findKnown(text, ENCODED_PEM, replacement),
    ],
  },
  certificate_authority_data: { find: null },
  ssh_key: { find: (text, replacement) => findKnown(text, SSH_KEYS, replacement) },
  github_token: { find: null },
  slack_token: { find: null },
  aws_access_key: { find: null },
  aws_secret_key: { find: null },
  secret_key: { find: null },
  api_key: { find: (text, replacement) => findKnown(text, API_KEYS, replacement) },
  token: { find: (text, replacement) => findKnown(text, TOKENS, replacement) },
  password: {
    find: (text, replacement) => [
      ...findUrlPasswords(text, replacement),
      ...findKnown(text, PASSWORDS, replacement),
      ...findInCommands(text, replacement),
      ...findInserts(text, replacement),
    ],
  },
  email: { find: findEmails },
  base64_secret: { find: findBase64 },
  base64_short: { find: findShortBase64 },
};

/** Patterns that run before fields. Specific patterns run first, so that a secret gets the most specific placeholder. */
const BEFORE_FIELDS: readonly MaskingPattern[] = ['private_key', 'certificate', 'ssh_key'];
const AFTER_FIELDS = MASKING_PATTERNS.filter((name) => !BEFORE_FIELDS.includes(name));

const PLACEHOLDERS = new Map(MASKING_PATTERNS.map((name) => [name, `[MASKED_${name.toUpperCase()}]`]));
const placeholder = (name: MaskingPattern): string => PLACEHOLDERS.get(name)!;

/** Levels of nested escaping that are resolved; each is a pass over the escaped text. */
const DEEPEST = 4;

/** Masks the secrets that the patterns find. Each pattern works on the result of the ones before it. */
export function maskPatterns(text: string, patterns: ReadonlySet<MaskingPattern>): string {
  // Structured Secrets come first; their result is plain text to the other patterns.
  let masked = patterns.has('kubernetes_secret') ? maskKubernetesSecrets(text) : text;
  masked = maskPlain(masked, patterns);
  return applyMasks(masked, findEscaped(masked, patterns));
}

/** Masks text without resolving escapes. */
function maskPlain(text: string, patterns: ReadonlySet<MaskingPattern>): string {
  let masked = text;
  const run = (name: MaskingPattern) => {
    const { find } = PATTERNS[name];
    if (find && patterns.has(name)) masked = applyMasks(masked, find(masked, placeholder(name)));
  };
  BEFORE_FIELDS.forEach(run);
  masked = applyMasks(masked, findVendorKeys(masked, patterns, placeholder));
  masked = applyMasks(masked, findFields(masked, patterns, placeholder));
  AFTER_FIELDS.forEach(run);
  return masked;
}

/** Finds secrets that show only after escapes are resolved, at each level of escaping. */
function findEscaped(text: string, patterns: ReadonlySet<MaskingPattern>): Mask[] {
  const masks: Mask[] = [];
  const layers: Layer[] = [];
  for (let layer = withoutEscapes(text); layer; layer = withoutEscapes(layer.text)) {
    layers.push(layer);
    for (const { start, end, replacement } of findPlaces(layer.text, patterns)) {
      const range = layers.reduceRight((at, { startOf, endOf }) => [startOf(at[0]), endOf(at[1])] as const, [
        start,
        end,
      ] as const);
      masks.push({ start: range[0], end: range[1], replacement });
    }
    if (layers.length === DEEPEST) break;
  }
  return masks;
}

/** Finds secrets that are recognised by the text around them. */
function findPlaces(text: string, patterns: ReadonlySet<MaskingPattern>): Mask[] {
  const masks = findFields(text, patterns, placeholder);
  for (const name of ['token', 'api_key', 'password'] as const) {
    const found = patterns.has(name) ? PATTERNS[name].find?.(text, placeholder(name)) : undefined;
    for (const mask of found ?? []) masks.push(mask);
  }
  return masks;
}
