import { mended } from '../engine/session/text.ts';
import type { TextMap } from './delivery.ts';
import { LABEL_MAX_LENGTH, MAX_LABELS, URL_MAX_LENGTH } from './tunables.ts';

/** Text as it can be stored, and at most so long; a cut one ends with `…`. */
export function cut(text: string, maxLength: number): string {
  const { text: kept } = mended(text);
  return kept.length <= maxLength ? kept : `${mended(kept.slice(0, maxLength - 1)).text}…`;
}

/** The address, if it is one that a person may be sent to. */
export function webAddress(text: string | null): string | null {
  if (text === null || text.length > URL_MAX_LENGTH || !URL.canParse(text)) return null;
  const { protocol, username, password, href } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? href : null;
}

/** A map as it is kept, and what of it was not. */
export function boundedMap(
  entries: readonly (readonly [string, string])[],
  what: string,
  valueMaxLength: number,
): { map: TextMap; notes: string[] } {
  let shortened = 0;
  const kept = entries.slice(0, MAX_LABELS).map(([name, value]): [string, string] => {
    const pair: [string, string] = [cut(name, LABEL_MAX_LENGTH), cut(value, valueMaxLength)];
    if (name.length > LABEL_MAX_LENGTH || value.length > valueMaxLength) shortened++;
    return pair;
  });
  const notes: string[] = [];
  if (entries.length > MAX_LABELS)
    notes.push(
      `${entries.length - MAX_LABELS} of ${entries.length} ${what} are left out; ${MAX_LABELS} are kept.`,
    );
  if (shortened > 0) notes.push(`${shortened} ${what} are shortened.`);
  return { map: Object.fromEntries(kept), notes };
}
