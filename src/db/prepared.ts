import { createHash } from 'node:crypto';

const names = new Map<string, string>();

/**
 * A statement that each connection prepares once: planning the engine's writes takes the database longer than doing
 * them. Only for statements whose text is one of a few, and whose best plan does not depend on their values.
 */
export function prepared(text: string): { name: string; text: string } {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('hex');
    names.set(text, name);
  }
  return { name, text };
}
