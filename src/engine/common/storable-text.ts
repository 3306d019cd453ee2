import { ValidationError } from '../../common/errors.ts';

/** Refuses what PostgreSQL cannot hold as text, saying where it is. @throws ValidationError */
export function requireStorable(text: string, field: string): void {
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    throw new ValidationError(
      `There is a NUL character at position ${nul}; remove it, or send binary data encoded.`,
      field,
    );
  }
  if (!text.isWellFormed()) {
    throw new ValidationError('There is half of a surrogate pair in the text; send valid Unicode.', field);
  }
}

/** NUL, and halves of surrogate pairs: in Unicode mode the halves of whole pairs are none. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

/** The text as PostgreSQL can hold it: U+FFFD for each character that it cannot, and how many those were. */
export function mended(text: string): { text: string; replaced: number } {
  let replaced = 0;
  const kept = text.replace(UNSTORABLE, () => {
    replaced++;
    return '\ufffd';
  });
  return { text: kept, replaced };
}

/** What a message repeats of the input: short and printable. */
export function shown(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e\u00a0-\ud7ff\ue000-\ufffd]/g, '?');
}
