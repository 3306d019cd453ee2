import { createHash } from 'node:crypto';
import { KEY_MAX_LENGTH } from './tunables.ts';

const HASHED = 'sha256:';

/**
 * One key of several parts: no two lists of parts have the same. A single short part is its own key, as its source shows
 * it; else it is a hash over the parts, each with its length before it. Null is a part that is missing, which is not ''.
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

/** The parts of a key made of a map, in an order of their own. */
export function partsOf(map: Readonly<Record<string, string>>): string[] {
  return Object.entries(map)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flat();
}
