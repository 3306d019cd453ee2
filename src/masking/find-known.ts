import type { Mask } from './masks.ts';

/** A secret that shows by its own form. The first group is masked, or the whole match when there is none. */
export interface KnownSecret {
  pattern: RegExp;
  /** What is looked for first, because it is sooner found to be missing; once for all that share it. */
  needle?: RegExp;
  /** Characters before the match that belong to the secret. */
  before?: number;
  /** Refuses matches that have the form by chance. */
  accepts?: (secret: string, text: string, at: number) => boolean;
}

/** What expressions find in a text. */
export function findKnown(text: string, secrets: readonly KnownSecret[], replacement: string): Mask[] {
  const masks: Mask[] = [];
  const found = new Map<RegExp, boolean>();
  for (const { pattern, before = 0, accepts, needle } of secrets) {
    if (needle && !found.has(needle)) found.set(needle, needle.test(text));
    if (needle && !found.get(needle)) continue;
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
