import type { Range } from './outline.ts';

const NAME = /^([ \t]*)Name:/;
const TYPE = /^[ \t]*Type:[ \t]*\S/;
const HEADING = /^([ \t]*)Data[ \t]*$/;
const RULE = /^[ \t]*={3,}[ \t]*$/;
const END = /^[ \t]*(?:Events|BinaryData|Name)(?::|[ \t]*$)/;
const KEY = /^[ \t]*([^\s:]{1,253}):/;
const BYTES = /^\d+ bytes$/;

/** Values in the `Data` part of what `kubectl describe secret` prints; tokens are shown there in clear. */
export function findDescribed(text: string): Range[] {
  if (!/^[ \t]*Data[ \t]*\r?\n[ \t]*={3,}/m.test(text)) return [];
  const ranges: Range[] = [];
  const lines = linesOf(text);
  let typed = false;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!.text;
    if (NAME.test(line)) typed = false;
    if (TYPE.test(line)) typed = true;
    if (!HEADING.test(line) || !RULE.test(lines[index + 1]?.text ?? '')) continue;
    index = readData(lines, index + 2, typed, ranges) - 1;
  }
  return ranges;
}

interface Line extends Range {
  text: string;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= text.length; ) {
    const eol = text.indexOf('\n', start);
    const lineEnd = eol < 0 ? text.length : eol;
    const end = text[lineEnd - 1] === '\r' && lineEnd > start ? lineEnd - 1 : lineEnd;
    lines.push({ start, end, text: text.slice(start, end) });
    start = lineEnd + 1;
  }
  return lines;
}

/**
 * Reads one Data part from its first line; the line after it. A ConfigMap has a rule of dashes below each key and no
 * type: without a type, values are masked only when the part does not look like that.
 */
function readData(lines: readonly Line[], first: number, typed: boolean, ranges: Range[]): number {
  let last = first;
  while (
    last < lines.length &&
    !END.test(lines[last]!.text) &&
    !/^(?:---|```)[ \t]*$/.test(endMark(lines, last))
  )
    last++;
  const part = lines.slice(first, last);
  if (!typed && part.some(({ text }) => /^[ \t]*----[ \t]*$/.test(text))) return last;
  let blank = false;
  for (const line of part) {
    const key = KEY.exec(line.text);
    if (key) {
      const rest = line.text.slice(key[0].length).trimStart();
      const value = rest.trimEnd();
      if (blank && /^[A-Z]/.test(key[1]!) && value === '') break;
      const start = line.end - rest.length;
      if (value !== '' && !BYTES.test(value)) ranges.push({ start, end: start + value.length });
    } else if (line.text.trim() !== '' && !(blank && /\s/.test(line.text.trim()))) {
      ranges.push({ start: line.end - line.text.trimStart().length, end: line.end });
    }
    blank = line.text.trim() === '';
  }
  return last;
}

/** A line that ends the part whatever it is in, as it is. */
function endMark(lines: readonly Line[], index: number): string {
  return lines[index]?.text ?? '';
}
