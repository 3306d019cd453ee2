import { ValidationError } from './errors.ts';

/** Returns text that PostgreSQL and gRPC accept: NUL and lone surrogates become the replacement character. */
export function toStorable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed();
}

/** Returns JSON that PostgreSQL's jsonb accepts, without NULs and lone surrogates; `null` for null and undefined. */
export function toStorableJson(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const json = JSON.stringify(value);
  return UNSTORABLE.test(json) ? cleanedJson(value) : json;
}

/** Matches JSON escapes of NUL and of surrogates. Harmless text may match too, such as `\\u0000` in JSON. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

function cleanedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'string') return toStorable(part);
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    const entries = Object.entries(part);
    if (entries.every(([key]) => toStorable(key) === key)) return part;
    return Object.fromEntries(entries.map(([key, item]) => [toStorable(key), item]));
  });
}

/** Checks that PostgreSQL can store the text. @throws ValidationError if not, with `field` as the input field */
export function requireStorable(text: string, field: string): void {
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    throw new ValidationError(
      `The text has a NUL character at position ${nul}; remove it, or encode binary data.`,
      field,
    );
  }
  if (!text.isWellFormed()) {
    throw new ValidationError('The text has half of a surrogate pair; send valid Unicode.', field);
  }
}

const UNSTORABLE_CHARACTER = /[\0\p{Surrogate}]/gu;

/** Returns the text with characters that PostgreSQL cannot store replaced, and the number of these characters. */
export function replaceUnstorable(text: string): { text: string; replaced: number } {
  let replaced = 0;
  const kept = text.replace(UNSTORABLE_CHARACTER, () => {
    replaced++;
    return '\ufffd';
  });
  return { text: kept, replaced };
}
