/** Splits a `key:value` tag; a tag without a value becomes 'true'. */
export function splitTag(tag: string): [string, string] {
  const colon = tag.indexOf(':');
  return colon < 1 ? [tag.trim(), 'true'] : [tag.slice(0, colon).trim(), tag.slice(colon + 1).trim()];
}
