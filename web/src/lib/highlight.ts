/** A piece of a text, and whether it is what was looked for. */
export interface Piece {
  readonly text: string;
  readonly hit: boolean;
}

/** Cuts a text at every place where `search` stands in it, in any case of letters. */
export function highlightPieces(text: string, search: string): readonly Piece[] {
  if (search === '') return text === '' ? [] : [{ text, hit: false }];
  const parts = text.split(new RegExp(`(${escaped(search)})`, 'giu'));
  return parts
    .map((part, index) => ({ text: part, hit: index % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}

export function hasHit(text: string, search: string): boolean {
  return search !== '' && new RegExp(escaped(search), 'iu').test(text);
}

/** The words around the first hit, on one line, of about `length` characters; null without a hit. */
export function excerpt(text: string, search: string, length = 160): string | null {
  const line = text.replace(/\s+/g, ' ');
  const found = search === '' ? null : new RegExp(escaped(search.replace(/\s+/g, ' ')), 'iu').exec(line);
  if (found === null) return null;
  const start = Math.max(0, found.index - Math.max(0, Math.floor((length - found[0].length) / 2)));
  const end = Math.min(line.length, start + Math.max(length, found[0].length));
  return `${start > 0 ? '…' : ''}${line.slice(start, end).trim()}${end < line.length ? '…' : ''}`;
}

const escaped = (search: string): string => search.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
