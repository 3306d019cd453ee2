import type { Mask } from './masks.ts';

/** A recognisable form of secrets. The first group of `pattern` is masked, or the whole match without a group. */
export interface KnownSecret {
  pattern: RegExp;
  /**
   * A cheap check before `pattern`, made once for all forms that share it. A string must begin with a rare
   * character, so that it is found fast.
   */
  needle?: string | RegExp | undefined;
  /** Number of characters before the match that belong to the secret. */
  before?: number;
  /** Returns false for a match that has the form only by chance. */
  accepts?: (secret: string, text: string, at: number) => boolean;
}

export function findKnown(text: string, secrets: readonly KnownSecret[], replacement: string): Mask[] {
  const masks: Mask[] = [];
  const found = new Map<string | RegExp, boolean>();
  const has = (needle: string | RegExp): boolean => {
    if (!found.has(needle))
      found.set(needle, typeof needle === 'string' ? text.includes(needle) : needle.test(text));
    return found.get(needle)!;
  };
  for (const { pattern, before = 0, accepts, needle } of secrets) {
    if (needle !== undefined && !has(needle)) continue;
    if (text.search(pattern) < 0) continue; // most texts have no match, and `matchAll` copies the expression
    for (const match of text.matchAll(pattern)) {
      const end = match.index + match[0].length;
      const group = match.slice(1).find((each) => each !== undefined);
      const start = match.index - before + match[0].lastIndexOf(group ?? match[0]);
      const secret = group ?? text.slice(start, end);
      if (accepts && !accepts(secret, text, match.index)) continue;
      masks.push({ start, end: Math.min(end, start + secret.length), replacement });
    }
  }
  return masks;
}
