import type { FieldName } from './field-names.ts';
import { isSecretValue } from './field-values.ts';
import type { Mask } from './masks.ts';

/** A cell of a line without surrounding blanks and quotes; `end` is exclusive. */
interface Cell {
  start: number;
  end: number;
}

/** The name of a secret at its position in a text. */
export interface NamedCell extends Cell {
  name: FieldName;
  replacement: string;
}

/** Limits of a table: columns, and characters of a line and of a column's name. */
const MOST_COLUMNS = 60;
const LONGEST_LINE = 4_000;
const LONGEST_NAME = 60;

const RULE = /^[\s|+:=─│┼\-–]*[-=─]{2,}[\s|+:=─│┼\-–]*$/;
const TABLE_END = /^\s*(?:\(\d+ rows?\)\s*)?$/;
const BARS = /[|│]/;
/** Matches the characters around a cell: blanks, quotes, Markdown marks. */
const AROUND = /[\s"'`*]/;

/** The separator between the cells of a line. */
type Split = 'bars' | 'tabs' | 'commas' | 'semicolons' | 'blanks';

/**
 * Finds secret values in tables, below a column's name or beside a row's name. Supports the output of psql, mysql,
 * kubectl and vault, Markdown and CSV.
 * @param names cells with the name of a secret, in ascending order
 */
export function findInTables(text: string, names: readonly NamedCell[]): Mask[] {
  const masks: Mask[] = [];
  let tableEnd = -1;
  let line: Cell = { start: 0, end: -1 };
  for (const { start, end, name, replacement } of names) {
    if (start >= line.end) line = lineAround(text, start, end);
    const { start: lineStart, end: lineEnd } = line;
    if (lineEnd - lineStart > LONGEST_LINE) continue;
    const take = (cell: Cell | undefined) => {
      if (!cell || cell.end <= cell.start) return;
      const value = {
        text: text.slice(cell.start, cell.end),
        quoted: false,
        wholeLine: false,
        code: false,
        setting: !name.mayBeLabel,
      };
      if (/^\w{1,20}\(\d+\)$/.test(value.text) || !isSecretValue(name, value)) return;
      masks.push({ ...cell, replacement });
    };
    for (const split of splitsOf(text, lineStart, lineEnd)) {
      const cells = cellsOf(text, lineStart, lineEnd, split);
      const column = cells.findIndex((cell) => cell.start === start && cell.end === end);
      if (column < 0 || cells.length < 2) continue;
      if (lineStart >= tableEnd && isHeader(text, cells, lineStart, lineEnd, split)) {
        tableEnd = Math.max(
          tableEnd,
          eachRow(text, lineEnd, (from, to) => take(cellUnder(text, from, to, split, cells, column))),
        );
      } else if (split === 'bars' && column === 0 && cells.length === 2) take(cells[1]);
      else if (split === 'blanks' && column === 0 && cells.length === 2 && isKeyValueTable(text, lineStart))
        take(cells[1]);
      break;
    }
  }
  return masks;
}

/** True if a name can be a whole cell, because only separators surround it. */
export function isCell(text: string, start: number, end: number): boolean {
  let before = start - 1;
  while (before >= 0 && start - before < LONGEST_NAME && isAround(text, before)) before--;
  let after = end;
  while (after - end < LONGEST_NAME && after < text.length && isAround(text, after)) after++;
  return isSeparator(text, before, start - 1) && isSeparator(text, after, end);
}

/** @param near the position of the separator if no blanks or quotes were between */
function isSeparator(text: string, at: number, near: number): boolean {
  const sign = text[at];
  return sign === undefined || '\n\t|│,;'.includes(sign) || Math.abs(at - near) > 1;
}

/** True for blanks, quotes and Markdown marks. Excludes letters and colons first, because they are most frequent. */
function isAround(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code < 48 || code === 96 || code > 127) && code !== 10 && code !== 9 && AROUND.test(text[at]!);
}

function lineAround(text: string, start: number, end: number): Cell {
  return { start: text.lastIndexOf('\n', start - 1) + 1, end: endOfLine(text, end) };
}

function endOfLine(text: string, at: number): number {
  const eol = text.indexOf('\n', at);
  return eol < 0 ? text.length : text[eol - 1] === '\r' ? eol - 1 : eol;
}

function splitsOf(text: string, start: number, end: number): Split[] {
  const line = text.slice(start, end);
  if (BARS.test(line)) return ['bars'];
  if (line.includes('\t')) return ['tabs'];
  if (/^[\w ."'-]+(?:,[\w ."'-]+)+$/.test(line)) return ['commas'];
  if (/^[\w ."'-]+(?:;[\w ."'-]+)+$/.test(line)) return ['semicolons'];
  return line.includes('  ') ? ['blanks'] : [];
}

const SEPARATORS: Readonly<Record<Split, RegExp>> = {
  bars: /[|│]/g,
  tabs: /\t+/g,
  commas: /,/g,
  semicolons: /;/g,
  blanks: / {2,}/g,
};

function cellsOf(text: string, start: number, end: number, split: Split): Cell[] {
  const line = text.slice(start, end);
  const cells: Cell[] = [];
  let from = 0;
  const add = (to: number) => {
    let first = from;
    let last = to;
    while (first < last && AROUND.test(line[first]!)) first++;
    while (last > first && AROUND.test(line[last - 1]!)) last--;
    cells.push({ start: start + first, end: start + last });
  };
  for (const { index, 0: separator } of line.matchAll(SEPARATORS[split])) {
    add(index);
    from = index + separator.length;
    if (cells.length > MOST_COLUMNS) return [];
  }
  add(line.length);
  const isFramed = split === 'bars' || split === 'blanks';
  // Empty text outside the frame of a table is no cell.
  if (isFramed && cells[0]!.start === cells[0]!.end) cells.shift();
  if (isFramed && cells.at(-1)?.start === cells.at(-1)?.end) cells.pop();
  return cells;
}

/** True if a line contains the column names of the lines below. */
function isHeader(
  text: string,
  cells: readonly Cell[],
  lineStart: number,
  lineEnd: number,
  split: Split,
): boolean {
  if (cells.some(({ start, end }) => end === start || end - start > LONGEST_NAME)) return false;
  const below = lineEnd + (text[lineEnd] === '\r' ? 2 : 1);
  if (below >= text.length) return false;
  const next = text.slice(below, Math.min(endOfLine(text, below), below + LONGEST_LINE));
  if (RULE.test(next)) return true;
  if (split === 'bars') return false;
  const count = cellsOf(text, below, endOfLine(text, below), split).length;
  if (split === 'blanks') return /^[A-Z][A-Z0-9 _()-]*$/.test(text.slice(lineStart, lineEnd)) && count > 1;
  return (
    count === cells.length &&
    cells.every(({ start, end }) => /^[A-Za-z][\w .-]*$/.test(text.slice(start, end)))
  );
}

/** Passes the rows below a header to `take`. @returns the end of the table */
function eachRow(text: string, headerEnd: number, take: (start: number, end: number) => void): number {
  let at = headerEnd + (text[headerEnd] === '\r' ? 2 : 1);
  while (at < text.length) {
    const end = endOfLine(text, at);
    const line = text.slice(at, Math.min(end, at + LONGEST_LINE));
    if (TABLE_END.test(line)) break;
    if (!RULE.test(line) && end - at <= LONGEST_LINE) take(at, end);
    at = end + (text[end] === '\r' ? 2 : 1);
  }
  return at;
}

function cellUnder(
  text: string,
  start: number,
  end: number,
  split: Split,
  header: readonly Cell[],
  column: number,
): Cell | undefined {
  const cells = cellsOf(text, start, end, split);
  if (split !== 'blanks') return cells.length === header.length ? cells[column] : undefined;
  const headerStart = text.lastIndexOf('\n', header[0]!.start - 1) + 1;
  const offset = header[column]!.start - headerStart;
  return cells.find((cell) => cell.start - start <= offset && cell.end - start > offset);
}

/** True if the lines above start with `Key  Value`, as in the output of vault. */
function isKeyValueTable(text: string, lineStart: number): boolean {
  const above = text.slice(Math.max(0, lineStart - 2_000), lineStart);
  const block = above.slice(above.lastIndexOf('\n\n') + 1);
  return /(?:^|\n) *Key {2,}Value *\r?\n *-+ +-+/.test(block);
}
