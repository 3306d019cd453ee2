import type { Entry } from './outline.ts';

/** The data of a Secret is flat; a broken indentation makes it a bit deeper (mappings within mappings). */
const DEEPEST_DATA = 4;
/** What a word or a number has not. */
const ENCODED = /=$|\d[A-Za-z]|[a-z][A-Z]|[+/]/;

/** Whether all values of an entry can be base64, and one of them is no word; the last one may be cut off. */
export function isEncoded(text: string, entry: Entry): boolean {
  const values = valuesOf(text, entry, 1);
  return (values ?? []).some((value) => ENCODED.test(value));
}

/** The values under a key; null when one of them is no base64. */
function valuesOf(text: string, { scalars, maps }: Entry, depth: number): string[] | null {
  const found: string[] = [];
  for (const { start, end } of scalars) {
    const value = text
      .slice(start, end)
      .trim()
      .replace(/^["']|["',\\]+$/g, '')
      .replace(/\\?\s+/g, '');
    if (value === '' || value === 'null') continue;
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return null;
    if (value.length % 4 !== 0 && text.slice(end).trim() !== '') return null; // not cut off either
    found.push(value);
  }
  for (const child of maps.flatMap(({ entries }) => entries)) {
    const values = depth < DEEPEST_DATA ? valuesOf(text, child, depth + 1) : null;
    if (values === null) return null;
    found.push(...values);
  }
  return found;
}
