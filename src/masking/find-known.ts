import type { Mask } from './masks.ts';

/** A secret that shows by its own form. The first group is masked, or the whole match when there is none. */
export interface KnownSecret {
  pattern: RegExp;
  /**
   * What is looked for first, because it is sooner found to be missing; once for all that share it. A string is worth it
   * when it begins with a sign that is rare.
   */
  needle?: string | RegExp | undefined;
  /** Characters before the match that belong to the secret. */
  before?: number;
  /** Refuses matches that have the form by chance. */
  accepts?: (secret: string, text: string, at: number) => boolean;
}

/** What expressions find in a text. */
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
    if (text.search(pattern) < 0) continue; // as most often: `matchAll` copies the expression first
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
