import type { Entry } from './outline.ts';

/** Deepest nesting of a Secret's data, which is flat unless the indentation is broken. */
const DEEPEST_DATA = 4;
/** Matches base64 that is no word or number. */
const ENCODED = /=$|\d[A-Za-z]|[a-z][A-Z]|[+/]/;

/** True if all values of an entry can be base64 and one is no word. The last one may be truncated. */
export function isEncoded(text: string, entry: Entry): boolean {
  const values = valuesOf(text, entry, 1);
  return (values ?? []).some((value) => ENCODED.test(value));
}

/** Returns the values under a key; `null` if one of them is no base64. */
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
    if (value.length % 4 !== 0 && text.slice(end).trim() !== '') return null; // not truncated either
    found.push(value);
  }
  for (const child of maps.flatMap(({ entries }) => entries)) {
    const values = depth < DEEPEST_DATA ? valuesOf(text, child, depth + 1) : null;
    if (values === null) return null;
    found.push(...values);
  }
  return found;
}
