/** One thing that a search asks for; all of them must be found in a session, wherever. */
export type SearchTerm =
  /** Part of a word, as it is written; `stem` also finds other forms of the word. */
  | { kind: 'part'; text: string; stem: boolean }
  /** Start of a word that is too short to look for within words. */
  | { kind: 'start'; text: string }
  /** Words that follow each other, in any form. */
  | { kind: 'phrase'; text: string };

/** What a trigram index can look for: without three letters or digits in a row it would read everything. */
const INDEXABLE = /[\p{L}\p{N}]{3}/u;
const LETTERS = /^\p{L}+$/u;
const LETTERS_OR_DIGITS = /^[\p{L}\p{N}]+$/u;

/** A quoted phrase, or what stands between white space. A quote within a word is a character as others are. */
const TERM = /"([^"]+)"(?=\s|$)|\S+/gu;

/** What a search asks for. Every text is one; none is an error. */
export function parseSearch(search: string): SearchTerm[] {
  const terms = new Map<string, SearchTerm>();
  for (const [whole, quoted] of search.matchAll(TERM)) {
    const term = quoted === undefined ? word(whole) : phrase(quoted);
    terms.set(`${term.kind} ${term.text}`, term);
  }
  return [...terms.values()];
}

function word(text: string): SearchTerm {
  if (INDEXABLE.test(text)) return { kind: 'part', text, stem: LETTERS.test(text) };
  return LETTERS_OR_DIGITS.test(text) ? { kind: 'start', text } : { kind: 'phrase', text };
}

function phrase(text: string): SearchTerm {
  const inner = text.trim();
  return /\s/u.test(inner) || inner === '' ? { kind: 'phrase', text } : word(inner);
}
