import { replaceUnstorable } from '../common/storable.ts';
import type { TextMap } from './delivery.ts';
import { LABEL_MAX_LENGTH, MAX_LABELS, URL_MAX_LENGTH } from './tunables.ts';

/** Returns the text as PostgreSQL can store it, cut to `maxLength` characters; a cut text ends with `…`. */
export function truncate(text: string, maxLength: number): string {
  const { text: kept } = replaceUnstorable(text);
  return kept.length <= maxLength ? kept : `${replaceUnstorable(kept.slice(0, maxLength - 1)).text}…`;
}

/** Returns the address if it is safe to link to, else `null`. */
export function safeWebAddress(text: string | null): string | null {
  const url = text === null || text.length > URL_MAX_LENGTH ? null : URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && url.username + url.password === '' ? url.href : null;
}

/**
 * True if a sender's id of an object can be stored. Other texts are no ids, and a shortened id would name another object.
 */
export function isObjectId(text: string): boolean {
  return /^[A-Za-z0-9][\w.:/-]{0,199}$/.test(text);
}

/** Limits a map's entries in number and length. Returns the map, and notes about what was cut. */
export function limitMap(
  entries: readonly (readonly [string, string])[],
  what: string,
  valueMaxLength: number,
): { map: TextMap; notes: string[] } {
  const kept = entries.slice(0, MAX_LABELS);
  const omitted = entries.length - kept.length;
  const isLong = (name: string, value: string) =>
    name.length > LABEL_MAX_LENGTH || value.length > valueMaxLength;
  const shortened = kept.filter(([name, value]) => isLong(name, value)).length;
  const notes: string[] = [];
  if (omitted > 0)
    notes.push(`${omitted} of ${entries.length} ${what} are left out; ${MAX_LABELS} are kept.`);
  if (shortened > 0) notes.push(`${shortened} ${what} are shortened.`);
  const limited = kept.map(([name, value]) => [
    truncate(name, LABEL_MAX_LENGTH),
    truncate(value, valueMaxLength),
  ]);
  return { map: Object.fromEntries(limited) as TextMap, notes };
}
