import type { Reader } from '../json-reader.ts';

/** `key:value`, or a tag that is only there. */
export function splitTag(tag: string): [string, string] {
  const colon = tag.indexOf(':');
  return colon < 1 ? [tag.trim(), 'true'] : [tag.slice(0, colon).trim(), tag.slice(colon + 1).trim()];
}

/** Texts of a list of tags that a sender joined with commas. */
export function tagsOf(reader: Reader): [string, string][] {
  const written = reader.text() ?? '';
  return written
    .split(',')
    .filter((tag) => tag.trim() !== '')
    .map(splitTag);
}
