import { createSanitizer, type Sanitizer } from '../common/printable.ts';
import { announcementLine, contentPreview, heading, isStreamed, styleChunk } from './blocks.ts';
import type { TimelineEntry } from './contract.ts';
import type { Style } from './style.ts';

export interface Block {
  entry: TimelineEntry;
  /** The agent's name; `null` if only one agent works. */
  agent: string | null;
  /** The entry's whole text so far. */
  text: string;
  done: boolean;
  /** Number of UTF-16 code units of `text` that are already written. */
  written: number;
  begun: boolean;
  atLineStart: boolean;
  /** The entry's type when writing began. The type can change, because an answer can become the final analysis. */
  openedAs: string;
  sanitizer: Sanitizer;
}

export function createBlock(entry: TimelineEntry, agent: string | null): Block {
  return {
    entry,
    agent,
    text: '',
    done: false,
    written: 0,
    begun: false,
    atLineStart: true,
    openedAs: entry.type,
    sanitizer: createSanitizer(),
  };
}

/** Returns a function that writes the still unwritten part of a block's text. Call it until the block is done. */
export function createBlockWriter(write: (text: string) => void, style: Style): (block: Block) => void {
  const writeText = (block: Block, text: string) => {
    if (text === '') return;
    block.atLineStart = text.endsWith('\n');
    write(styleChunk(block.entry, text, style));
  };

  const writeStreamed = (block: Block) => {
    const { entry, done } = block;
    writeText(block, block.sanitizer.push(block.text.slice(block.written)));
    block.written = block.text.length;
    if (!done) return;
    writeText(block, block.sanitizer.end());
    if (!block.atLineStart) write('\n');
    if (entry.type === 'FINAL_ANALYSIS' && block.openedAs !== entry.type)
      write(`${style.bold('── This is the final analysis.')}\n`);
    if (entry.status !== 'COMPLETED' && entry.status !== 'STREAMING')
      write(`${style.red(entry.status.toLowerCase())}\n`);
  };

  return (block) => {
    const { entry, agent } = block;
    const streamed = isStreamed(entry);
    if (!block.begun)
      write(`${streamed ? heading(entry, agent, style) : announcementLine(entry, agent, style)}\n`);
    block.begun = true;
    if (streamed) writeStreamed(block);
    else if (block.done) write(`${contentPreview(entry, style)}\n`);
    if (block.done) write('\n');
  };
}
