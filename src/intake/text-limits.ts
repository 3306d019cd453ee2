import { replaceUnstorable } from '../common/storable.ts';
import type { TextMap } from './delivery.ts';
import { LABEL_MAX_LENGTH, MAX_LABELS, URL_MAX_LENGTH } from './tunables.ts';

/** Returns the text in storable form and at most `maxLength` characters long; a cut text ends with `…`. */
export function truncate(text: string, maxLength: number): string {
  const { text: kept } = replaceUnstorable(text);
  return kept.length <= maxLength ? kept : `${replaceUnstorable(kept.slice(0, maxLength - 1)).text}…`;
}

/** Returns the address if it is safe to link to, else `null`. */
export function safeWebAddress(text: string | null): string | null {
  if (text === null || text.length > URL_MAX_LENGTH || !URL.canParse(text)) return null;
  const { protocol, username, password, href } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? href : null;
}

/** Limits the entries of a map and returns notes about what was cut. */
export function limitMap(
  entries: readonly (readonly [string, string])[],
  what: string,
  valueMaxLength: number,
): { map: TextMap; notes: string[] } {
  let shortened = 0;
  const kept = entries.slice(0, MAX_LABELS).map(([name, value]): [string, string] => {
    const pair: [string, string] = [truncate(name, LABEL_MAX_LENGTH), truncate(value, valueMaxLength)];
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
