import type { Passage } from './words.ts';

const CODE_BLOCK = /^[ \t]*(```|~~~)[\s\S]*?^[ \t]*\1[ \t]*$/gm;
const HTML = /<!--[\s\S]*?-->|<[^>]+>/g;
const TABLE_HEAD = /^[ \t]*\|.*\n(?=[ \t]*\|[\s:|-]+$)/gm;
const LINK = /!?\[([^\]]*)\]\([^)]*\)/g;
const QUOTE = /"[^"\n]*"|“[^”\n]*”/g;
const MARK = /^\s*(?:>\s*)?(?:[-*+]\s+|\d+\.\s+)?/;

/**
 * Returns the paragraphs, list items and table cells of a Markdown page. Leaves out headings, because they are no
 * sentences, and code blocks and quoted texts, because other people or programs wrote them.
 */
export function passagesOf(text: string): Passage[] {
  const blank = (omitted: string) => omitted.replace(/[^\n]/g, ' ');
  const lines = [CODE_BLOCK, HTML, TABLE_HEAD].reduce((left, form) => left.replace(form, blank), text);
  const passages: Passage[] = [];
  let at = 0;
  let open: Passage | null = null;
  for (const line of lines.split('\n')) {
    const prose = plain(line);
    if (/^\s*\|/.test(line)) {
      open = null;
      passages.push(...prose.split('|').map((cell) => ({ at, prose: cell.trim() })));
    } else if (/^\s*#/.test(line) || prose === '') {
      open = null;
    } else if (open === null || MARK.exec(line)![0].trim() !== '') {
      open = { at, prose };
      passages.push(open);
    } else {
      open.prose += ` ${prose}`;
    }
    at += line.length + 1;
  }
  return passages;
}

function plain(line: string): string {
  const words = line
    .replace(MARK, '')
    .replace(LINK, '$1')
    .replace(/`[^`]*`/g, 'code')
    .replace(QUOTE, 'quote');
  return words.replace(/[*_]/g, '').trim();
}
