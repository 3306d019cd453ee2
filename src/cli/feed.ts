import { type Block, createBlock, createBlockWriter } from './block-writer.ts';
import type { TimelineEntry } from './contract.ts';
import type { Style } from './style.ts';

/**
 * Merges timeline entries that grow in parallel into one readable text. The first entry in the queue is written as it
 * grows; the others collect their text until it is their turn.
 */
export function createFeed(write: (text: string) => void, style: Style) {
  const writeBlock = createBlockWriter(write, style);
  const queue: (string | Block)[] = [];
  const blocks = new Map<string, Block>();

  /** Writes the available text of the queue's first entry. If that entry is complete, continues with the next one. */
  const advance = () => {
    for (let front = queue[0]; front !== undefined; front = queue[0]) {
      if (typeof front === 'string') write(`${front}\n`);
      else {
        writeBlock(front);
        if (!front.done) return;
        blocks.delete(front.entry.id);
      }
      queue.shift();
    }
  };
  const update = (entry: TimelineEntry, agent: string | null, done: boolean) => {
    const known = blocks.get(entry.id);
    const block = known ?? createBlock(entry, agent);
    if (known === undefined) queue.push(block);
    blocks.set(entry.id, block);
    Object.assign(block, { entry, text: entry.content, done });
    advance();
  };

  return {
    line(text: string) {
      queue.push(text);
      advance();
    },
    open: (entry: TimelineEntry, agent: string | null) => update(entry, agent, entry.status !== 'STREAMING'),
    chunk(entryId: string, offset: number, delta: string) {
      const block = blocks.get(entryId);
      const text = block && appendChunk(block.text, { offset, delta });
      // Ignores chunks of unknown entries and chunks after a gap, because the completed entry brings the whole content.
      if (block === undefined || typeof text !== 'string') return;
      block.text = text;
      if (queue[0] === block) advance();
    },
    complete: (entry: TimelineEntry, agent: string | null) => update(entry, agent, true),
    /** Writes the text of all remaining entries, complete or not. */
    flush() {
      for (const block of blocks.values()) block.done = true;
      advance();
    },
  };
}

/**
 * Appends a chunk to the known text, at the chunk's offset (UTF-16 code units). After a reconnect, chunk and text may
 * overlap. Returns `null` if a chunk before this one is missing.
 */
export function appendChunk(text: string, chunk: { offset: number; delta: string }): string | null {
  return chunk.offset > text.length ? null : text + chunk.delta.slice(text.length - chunk.offset);
}
