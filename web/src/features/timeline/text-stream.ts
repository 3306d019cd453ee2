/** A text that arrives in chunks. `pending` holds the chunks that wait until the gap after `text` is filled. */
export interface TextStream {
  readonly text: string;
  readonly pending: readonly Chunk[];
}

interface Chunk {
  readonly offset: number;
  readonly delta: string;
}

export const emptyTextStream: TextStream = { text: '', pending: [] };

/**
 * Inserts a chunk at its offset (UTF-16 code units, as JavaScript strings count).
 * A chunk at offset 0 contains all the text so far: it replaces the current text, unless that already begins with it.
 * A chunk beyond the end is kept until the gap before it is filled. Inserting a chunk twice changes nothing.
 */
export function insertChunk(stream: TextStream, offset: number, delta: string): TextStream {
  if (delta === '' || offset < 0) return stream;
  if (offset > stream.text.length) return queueChunk(stream, { offset, delta });
  const text = overlay(stream.text, offset, delta);
  return text === stream.text ? stream : applyPending({ text, pending: stream.pending });
}

function overlay(text: string, offset: number, delta: string): string {
  if (text.startsWith(delta, offset)) return text;
  if (offset === 0) return delta;
  return text.slice(0, offset) + delta + text.slice(offset + delta.length);
}

function queueChunk(stream: TextStream, chunk: Chunk): TextStream {
  const known = stream.pending.some((p) => p.offset === chunk.offset && p.delta === chunk.delta);
  if (known) return stream;
  const pending = [...stream.pending, chunk].sort((a, b) => a.offset - b.offset);
  return { text: stream.text, pending };
}

function applyPending(stream: TextStream): TextStream {
  let { text } = stream;
  let applied = 0;
  for (const chunk of stream.pending) {
    if (chunk.offset > text.length) break;
    text = overlay(text, chunk.offset, chunk.delta);
    applied += 1;
  }
  return applied === 0 ? stream : { text, pending: stream.pending.slice(applied) };
}
