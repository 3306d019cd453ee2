/** A text that arrives in pieces. */
export interface FoldedText {
  /** All of the text so far. */
  text: string;
  /** What the piece added at its end. */
  added: string;
}

/**
 * Lays a piece of text at its offset (UTF-16 code units) onto what is known. Pieces may overlap what is
 * known: after a reconnect the first one carries all the text so far. Null when the piece begins beyond the
 * end: a piece is missing, and the text must come whole from elsewhere.
 */
export function appendChunk(text: string, piece: { offset: number; delta: string }): FoldedText | null {
  if (piece.offset > text.length) return null;
  const added = piece.delta.slice(text.length - piece.offset);
  return { text: text + added, added };
}
