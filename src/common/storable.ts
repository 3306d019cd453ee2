/** Returns text that PostgreSQL and gRPC accept: NUL and lone surrogates become the replacement character. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed();
}

/** Returns JSON that PostgreSQL's jsonb accepts, without NULs and lone surrogates; `null` for null and undefined. */
export function storableJson(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const json = JSON.stringify(value);
  return UNSTORABLE.test(json) ? cleanedJson(value) : json;
}

/** Finds JSON escapes of NUL and of surrogates; it may match harmless text too. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

function cleanedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'string') return storable(part);
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    const entries = Object.entries(part);
    if (entries.every(([key]) => storable(key) === key)) return part;
    return Object.fromEntries(entries.map(([key, item]) => [storable(key), item]));
  });
}
