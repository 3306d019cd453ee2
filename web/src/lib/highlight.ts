/** A part of a text; `hit` is true for a search match. */
export interface Piece {
  readonly text: string;
  readonly hit: boolean;
}

/** Splits a text into matches of the words in `search`, ignoring case, and the pieces between them. */
export function highlightPieces(text: string, search: string): readonly Piece[] {
  const sought = pattern(search, 'giu');
  if (sought === null) return text === '' ? [] : [{ text, hit: false }];
  const parts = text.split(sought);
  return parts
    .map((part, index) => ({ text: part, hit: index % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}

export function hasHit(text: string, search: string): boolean {
  return pattern(search, 'iu')?.test(text) ?? false;
}

/** Returns about `length` characters around the first match, on one line; null without a match. */
export function excerpt(text: string, search: string, length = 160): string | null {
  const line = text.replace(/\s+/g, ' ');
  const found = pattern(search, 'iu')?.exec(line);
  if (!found) return null;
  const start = Math.max(0, found.index - Math.max(0, Math.floor((length - found[0].length) / 2)));
  const end = Math.min(line.length, start + Math.max(length, found[0].length));
  return `${start > 0 ? '…' : ''}${line.slice(start, end).trim()}${end < line.length ? '…' : ''}`;
}

/** Returns an expression that matches like the server's search: words and quoted phrases; null for an empty search. */
function pattern(search: string, flags: string): RegExp | null {
  const terms = [...search.matchAll(/"([^"]+)"(?=\s|$)|\S+/gu)]
    .map(([word, phrase]) => (phrase ?? word).trim())
    .filter((term) => term !== '')
    .sort((a, b) => b.length - a.length); // longest first, because the first alternative that matches wins
  if (terms.length === 0) return null;
  return new RegExp(`(${terms.map((term) => escaped(term).replace(/\s+/g, '\\s+')).join('|')})`, flags);
}

const escaped = (term: string): string => term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
