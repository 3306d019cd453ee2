/**
 * Splits growing Markdown into blocks at blank lines, but not inside fenced code and not before a line that may
 * continue a list or indented block. When the text grows, only the last block changes.
 */
export function markdownBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let current: string[] = [];
  let fence: string | null = null;
  let blank = false;
  for (const line of text.split('\n')) {
    if (blank && fence === null && current.length > 0 && startsAfresh(line)) {
      blocks.push(current.join('\n'));
      current = [];
    }
    fence = nextFence(fence, line);
    blank = line.trim() === '';
    current.push(line);
  }
  if (current.length > 0) blocks.push(current.join('\n'));
  return blocks;
}

const startsAfresh = (line: string): boolean => /^\S/.test(line) && !/^([-*+]|\d+[.)])(\s|$)/.test(line);

function nextFence(open: string | null, line: string): string | null {
  const marks = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
  if (marks === null) return open;
  const [, mark = '', rest = ''] = marks;
  if (open === null) return mark;
  const closes = mark[0] === open[0] && mark.length >= open.length && rest.trim() === '';
  return closes ? null : open;
}
