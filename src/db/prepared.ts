import { createHash } from 'node:crypto';

const names = new Map<string, string>();

/**
 * Returns a statement that each connection prepares once, because planning takes longer than running. Use it only for
 * a small number of distinct texts, each with a plan that does not depend on the values.
 */
export function prepared(text: string): { name: string; text: string } {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('hex');
    names.set(text, name);
  }
  return { name, text };
}
