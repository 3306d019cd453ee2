import { createHash } from 'node:crypto';
import { KEY_MAX_LENGTH } from './tunables.ts';

const HASHED = 'sha256:';

/**
 * Combines parts into one key; different lists of parts have different keys. A single short part is returned as it
 * is, so that the key stays readable; other keys are hashes. A missing part (`null`) differs from ''.
 */
export function keyOf(...parts: readonly (string | null)[]): string {
  const [only] = parts;
  if (parts.length === 1 && only != null && isPlain(only)) return only;
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part === null ? '-:' : `${Buffer.byteLength(part)}:${part}`);
  return `${HASHED}${hash.digest('hex')}`;
}

function isPlain(text: string): boolean {
  return text.length <= KEY_MAX_LENGTH && !text.startsWith(HASHED) && !/[\p{C}\s]/u.test(text) && text !== '';
}

/** Returns the names and values of a map as parts for `keyOf`, sorted by name. */
export function partsOf(map: Readonly<Record<string, string>>): string[] {
  return partsOfPairs(Object.entries(map));
}

/** Returns names and values as parts for `keyOf`, sorted by name because the members of JSON have no order. */
export function partsOfPairs<T extends string | null>(
  pairs: readonly (readonly [name: string, value: T])[],
): (string | T)[] {
  return pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).flat();
}
