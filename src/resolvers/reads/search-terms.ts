/** One term of a search. All terms must occur in a session. */
export type SearchTerm =
  /** Part of a word as written; `stem` also finds other forms of the word. */
  | { kind: 'part'; text: string; stem: boolean }
  /** Start of a word that is too short to be found inside words. */
  | { kind: 'start'; text: string }
  /** Adjacent words in any form. */
  | { kind: 'phrase'; text: string };

/** Text usable with a trigram index: without three adjacent letters or digits it would read everything. */
const INDEXABLE = /[\p{L}\p{N}]{3}/u;
const LETTERS = /^\p{L}+$/u;
const LETTERS_OR_DIGITS = /^[\p{L}\p{N}]+$/u;

/** A quoted phrase, or text between white space. A quote inside a word is an ordinary character. */
const TERM = /"([^"]+)"(?=\s|$)|\S+/gu;

/** Parses a search into its terms. Every text is valid. */
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
