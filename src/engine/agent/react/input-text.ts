import { withoutEnd } from './section-text.ts';

/**
 * The text of an action's input from its lines. Its indentation is its meaning (YAML), so only what the whole
 * section is indented by is taken off.
 * @param indent what the header was indented by
 * @param emphasis Markdown that may end the header's line
 */
export function inputText(raw: string, indent: number, emphasis: string): string {
  const [head = '', ...lines] = raw.split('\n');
  const first = withoutEnd(head.trim(), emphasis);
  const own = lines.map((line) => line.slice(Math.min(indent, indentOf(line))));
  const filled = own.filter((line) => line.trim() !== '');
  // After `key:` or an opening bracket the indented lines belong to it; otherwise they are all at one level.
  const common = /[:|>{[,-]$/.test(first)
    ? 0
    : filled.reduce((least, line) => Math.min(least, indentOf(line)), Number.POSITIVE_INFINITY);
  return [first, ...own.map((line) => line.slice(Math.min(common, indentOf(line))))].join('\n').trim();
}

function indentOf(line: string): number {
  let indent = 0;
  while (line[indent] === ' ' || line[indent] === '\t') indent += 1;
  return indent;
}
