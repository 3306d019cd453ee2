import type { JsonReader } from '../json-reader.ts';

/** Splits a `key:value` tag; a tag without a value becomes 'true'. */
export function splitTag(tag: string): [string, string] {
  const colon = tag.indexOf(':');
  return colon < 1 ? [tag.trim(), 'true'] : [tag.slice(0, colon).trim(), tag.slice(colon + 1).trim()];
}

/** Splits a comma-separated list of tags. */
export function tagsOf(reader: JsonReader): [string, string][] {
  const written = reader.text() ?? '';
  return written
    .split(',')
    .filter((tag) => tag.trim() !== '')
    .map(splitTag);
}
