/** Text that the database and every wire takes: NUL and halves of surrogate pairs become the replacement character. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed();
}

/** JSON that PostgreSQL can hold: jsonb refuses escaped NULs and lone surrogates. Null for null and undefined. */
export function storableJson(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const json = JSON.stringify(value);
  return UNSTORABLE.test(json) ? mendedJson(value) : json;
}

/** What JSON writes for a NUL and for half of a surrogate pair, or what looks like it. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

function mendedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'string') return storable(part);
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    const entries = Object.entries(part);
    if (entries.every(([key]) => storable(key) === key)) return part;
    return Object.fromEntries(entries.map(([key, item]) => [storable(key), item]));
  });
}
