import { describe, expect, it } from 'vitest';
import { markdownBlocks } from './markdown-blocks.ts';

describe('markdownBlocks', () => {
  it('splits paragraphs and headings at blank lines', () => {
    expect(markdownBlocks('# One\n\ntext\nmore\n\nlast')).toEqual(['# One\n', 'text\nmore\n', 'last']);
  });

  it('keeps a fenced block whole, even while it is unfinished', () => {
    const open = '```sh\ndf -h\n\ndu -s';
    expect(markdownBlocks(`intro\n\n${open}`)).toEqual(['intro\n', open]);
    expect(markdownBlocks(`${open}\n\`\`\`\n\nafter`)).toEqual([`${open}\n\`\`\`\n`, 'after']);
  });

  it('does not end a block at a shorter or different fence', () => {
    const text = '````\n```\n\n~~~\n\nstill code\n````\n\nafter';
    expect(markdownBlocks(text)).toHaveLength(2);
  });

  it('keeps loose lists together', () => {
    expect(markdownBlocks('1. one\n\n2. two\n\n   more of two\n\n- other')).toHaveLength(1);
  });

  it('loses no text', () => {
    const text = 'a\n\n\n\nb\n\n- c\n\n```\n\n```\n\nd\n';
    expect(markdownBlocks(text).join('\n')).toBe(text);
  });
});
