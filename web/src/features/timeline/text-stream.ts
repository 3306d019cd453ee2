/** A text that arrives in chunks: the contiguous start, and the chunks that arrived beyond a gap. */
export interface TextStream {
  readonly text: string;
  readonly ahead: readonly Piece[];
}

interface Piece {
  readonly offset: number;
  readonly delta: string;
}

export const emptyText: TextStream = { text: '', ahead: [] };

/**
 * Inserts a chunk at its offset (UTF-16 code units, as JavaScript strings count).
 * A chunk at offset 0 contains all the text so far: it replaces the current text, unless that already begins with it.
 * A chunk beyond the end is kept until the gap before it is filled. Inserting a chunk twice changes nothing.
 */
export function layPiece(stream: TextStream, offset: number, delta: string): TextStream {
  if (delta === '' || offset < 0) return stream;
  if (offset > stream.text.length) return wait(stream, { offset, delta });
  const text = overlay(stream.text, offset, delta);
  return text === stream.text ? stream : drain({ text, ahead: stream.ahead });
}

function overlay(text: string, offset: number, delta: string): string {
  if (text.startsWith(delta, offset)) return text;
  if (offset === 0) return delta;
  return text.slice(0, offset) + delta + text.slice(offset + delta.length);
}

function wait(stream: TextStream, piece: Piece): TextStream {
  const known = stream.ahead.some((p) => p.offset === piece.offset && p.delta === piece.delta);
  if (known) return stream;
  const ahead = [...stream.ahead, piece].sort((a, b) => a.offset - b.offset);
  return { text: stream.text, ahead };
}

function drain(stream: TextStream): TextStream {
  let { text } = stream;
  let taken = 0;
  for (const piece of stream.ahead) {
    if (piece.offset > text.length) break;
    text = overlay(text, piece.offset, piece.delta);
    taken += 1;
  }
  return taken === 0 ? stream : { text, ahead: stream.ahead.slice(taken) };
}
