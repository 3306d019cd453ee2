import { MASKING_PATTERNS, type MaskingPattern } from '../config/masking-names.ts';
import { findBase64, findShortBase64 } from './base64.ts';
import { findEmails } from './email.ts';
import { findFields } from './fields.ts';
import { findKnown } from './find-known.ts';
import { findInCommands, findInserts } from './known-places.ts';
import { API_KEYS, ENCODED_PEM, ENCODED_PRIVATE_KEYS, PASSWORDS, SSH_KEYS, TOKENS } from './known-secrets.ts';
import { maskKubernetesSecrets } from './kubernetes/secrets.ts';
import type { Layer } from './layer.ts';
import { applyMasks, type Mask, type Placeholder } from './masks.ts';
import { findPem } from './pem.ts';
import { findSpoken } from './spoken.ts';
import { findUrlPasswords } from './url-credentials.ts';
import { findVendorKeys } from './vendor-keys.ts';
import { withoutEscapes, withoutMarkup } from './without-escapes.ts';

type Find = (text: string, replacement: string) => Mask[];

/**
 * Finders by pattern. The searches for Kubernetes Secrets, vendor keys and fields serve several patterns each, so
 * they are not listed here.
 */
const FINDERS: Readonly<Partial<Record<MaskingPattern, Find>>> = {
  private_key: (text, replacement) => [
    ...findPem(text, replacement, (label) => label.includes('PRIVATE KEY')),
    ...findKnown(text, ENCODED_PRIVATE_KEYS, replacement),
  ],
  certificate: (text, replacement) => [
    ...findPem(text, replacement, (label) => !label.startsWith('PGP PUBLIC')),
    ...findKnown(text, ENCODED_PEM, replacement),
  ],
  ssh_key: (text, replacement) => findKnown(text, SSH_KEYS, replacement),
  api_key: (text, replacement) => findKnown(text, API_KEYS, replacement),
  token: (text, replacement) => [...findKnown(text, TOKENS, replacement), ...findSpoken(text, replacement)],
  password: (text, replacement) => [
    ...findUrlPasswords(text, replacement),
    ...findKnown(text, PASSWORDS, replacement),
    ...findInCommands(text, replacement),
    ...findInserts(text, replacement),
  ],
  email: findEmails,
  base64_secret: findBase64,
  base64_short: findShortBase64,
};

/** Patterns that run before fields. Specific patterns run first, so that secrets get the most specific placeholder. */
const BEFORE_FIELDS: readonly MaskingPattern[] = ['private_key', 'certificate', 'ssh_key'];
const AFTER_FIELDS = MASKING_PATTERNS.filter((name) => !BEFORE_FIELDS.includes(name));

const PLACEHOLDERS = new Map(MASKING_PATTERNS.map((name) => [name, `[MASKED_${name.toUpperCase()}]`]));

/** Maximum number of nested levels of escaping that are resolved, because each costs a pass over the text. */
const DEEPEST = 4;

/** Masks the secrets that the patterns find. Each pattern works on the result of the ones before it. */
export function maskPatterns(text: string, patterns: ReadonlySet<MaskingPattern>): string {
  const placeholder: Placeholder = (names) =>
    PLACEHOLDERS.get(names.find((name) => patterns.has(name))!) ?? null;
  const find = (within: string, name: MaskingPattern): Mask[] => {
    const replacement = placeholder([name]);
    return (replacement !== null && FINDERS[name]?.(within, replacement)) || [];
  };
  // Kubernetes Secrets are masked first; the other patterns read the result as plain text.
  let masked = patterns.has('kubernetes_secret') ? maskSecretObjects(text) : text;
  for (const name of BEFORE_FIELDS) masked = applyMasks(masked, find(masked, name));
  masked = applyMasks(masked, findVendorKeys(masked, placeholder));
  masked = applyMasks(masked, findFields(masked, placeholder));
  for (const name of AFTER_FIELDS) masked = applyMasks(masked, find(masked, name));
  const findPlaces = (layer: string) =>
    [findFields(layer, placeholder), ...BY_SURROUNDINGS.map((name) => find(layer, name))].flat();
  return applyMasks(masked, findEscaped(masked, findPlaces));
}

/** Masks Kubernetes Secrets. A coloured or HTML-escaped Secret is returned without its colours or escapes. */
function maskSecretObjects(text: string): string {
  const plain = withoutMarkup(text);
  const masked = plain === text ? text : maskKubernetesSecrets(plain);
  return masked === plain ? maskKubernetesSecrets(text) : masked;
}

/** Patterns that also search text with resolved escapes, because they recognise secrets by the text around them. */
const BY_SURROUNDINGS: readonly MaskingPattern[] = ['token', 'api_key', 'password'];

/** Finds secrets that show only after escapes are resolved, at each level of escaping. */
function findEscaped(text: string, find: (text: string) => Mask[]): Mask[] {
  const masks: Mask[] = [];
  const layers: Layer[] = [];
  for (let layer = withoutEscapes(text); layer; layer = withoutEscapes(layer.text)) {
    layers.unshift(layer);
    for (const mask of find(layer.text)) {
      let { start, end } = mask;
      for (const { startOf, endOf } of layers) {
        start = startOf(start);
        end = endOf(end);
      }
      masks.push({ ...mask, start, end });
    }
    if (layers.length === DEEPEST) break;
  }
  return masks;
}
