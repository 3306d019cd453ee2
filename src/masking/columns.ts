import type { FieldName } from './field-names.ts';
import { isObjectName, isSecretValue } from './field-values.ts';
import type { Mask } from './masks.ts';
import { lineEnd, type Range } from './text.ts';

export interface NamedCell extends Range {
  name: FieldName;
  replacement: string;
}

/** A line of a table; cells exclude surrounding blanks and quotes. */
interface Row extends Range {
  split: Split;
  cells: Range[];
}

/** A table from its header to its end, with the rows below the header. */
interface Table extends Range {
  rows: Row[];
  /** True if the header is marked, by a rule below it or by capitals. */
  isCertain: boolean;
}

/** Limits of a table: number of columns, length of a line and length of a column's name (characters). */
const MOST_COLUMNS = 60;
const LONGEST_LINE = 4_000;
const LONGEST_NAME = 60;

const RULE = /^[\s|+:=─│┼\-–]*[-=─]{2,}[\s|+:=─│┼\-–]*$/;
const TABLE_END = /^\s*(?:\(\d+ rows?\)\s*)?$/;
const BARS = /[|│║]/;
/** Matches a character that may surround the text of a cell: blank, quote or Markdown mark. */
const AROUND = /[\s"'`*]/;

type Split = 'bars' | 'tabs' | 'commas' | 'semicolons' | 'blanks';

/** Finds values below or beside a secret's name in tables of psql, mysql, kubectl, vault, Markdown and CSV. */
export function findInTables(text: string, names: readonly NamedCell[]): Mask[] {
  const masks: Mask[] = [];
  let table: Table = { start: -1, end: -1, rows: [], isCertain: false };
  const valueCell = valueCells(text);
  let line: Range = { start: 0, end: -1 };
  let row: Row | null = null;
  for (const { start, end, name, replacement } of names) {
    if (start >= line.end) {
      line = { start: text.lastIndexOf('\n', start - 1) + 1, end: rowEnd(text, end) };
      const split = line.end - line.start > LONGEST_LINE ? null : splitOf(text.slice(line.start, line.end));
      row = split === null ? null : readRow(text, line, split);
    }
    if (row === null) continue;
    const current: Row = row;
    const column = current.cells.findIndex((cell) => cell.start <= start && cell.end === end);
    if (column < 0 || current.cells.length < 2) continue;
    let values: Range[] = [];
    const named = valueCell(current, column);
    const header = line.start >= table.end && !named ? headerKind(text, current) : null;
    if (header !== null) table = { ...rowsBelow(text, current), isCertain: header };
    let { isCertain } = table;
    if (line.start === table.start)
      values = table.rows.flatMap((each) => cellUnder(current, column, each) ?? []);
    else {
      isCertain = named !== undefined || current.split === 'bars';
      if (named) values = [named];
      else if (column === 0 && current.cells.length === 2) values = current.cells.slice(1);
    }
    for (const cell of values) {
      if (!isCertain && !looksChosen(text.slice(cell.start, cell.end))) continue;
      const value = { text: text.slice(cell.start, cell.end), quoted: false, setting: !name.mayBeLabel };
      if (cell.end > cell.start && !/^\w{1,20}\(\d+\)$/.test(value.text) && isSecretValue(name, value))
        masks.push({ ...cell, replacement });
    }
  }
  return masks;
}

/** True if only separators surround a name, so that the name may be a cell of a table. */
export function isCell(text: string, start: number, end: number): boolean {
  let from = start; // a path before the name belongs to its cell: /prod/db_password, db:password
  while (start - from < LONGEST_NAME && /[\w/:.-]/.test(text[from - 1] ?? ' ')) from--;
  let before = from - 1;
  while (before >= 0 && from - before < LONGEST_NAME && isAround(text, before)) before--;
  let after = end;
  while (after - end < LONGEST_NAME && after < text.length && isAround(text, after)) after++;
  return isSeparator(text, before, from - 1) && isSeparator(text, after, end);
}

/**
 * True if a cell ends at `at`: there is a separator or the end of the text, or at least two blanks or quotes
 * lie between `at` and the name's end `near`.
 */
function isSeparator(text: string, at: number, near: number): boolean {
  const sign = text[at];
  return sign === undefined || '\n\t|│║,;'.includes(sign) || Math.abs(at - near) > 1;
}

/** True for blanks and quotes (AROUND), not tabs and line feeds. */
function isAround(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code !== 10 && code !== 9 && maySurround(text, at);
}

/** True for a character of AROUND. Compares codes first, which is faster than a regex. */
function maySurround(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code < 48 || code === 96 || code > 127) && AROUND.test(text[at]!);
}

function rowEnd(text: string, at: number): number {
  const end = lineEnd(text, at);
  return text[end] === '\n' && text[end - 1] === '\r' ? end - 1 : end;
}

function nextRow(text: string, { end }: Range): Range {
  const start = end + (text[end] === '\r' ? 2 : 1);
  return { start, end: rowEnd(text, start) };
}

/** Returns the kind of separator between the cells of a line; `null` if the line has none. */
function splitOf(line: string): Split | null {
  if (BARS.test(line)) return 'bars';
  if (line.includes('\t')) return 'tabs';
  if (/^[\w ."'-]+(?:,[\w ."'-]+)+$/.test(line)) return 'commas';
  if (/^[\w ."'-]+(?:;[\w ."'-]+)+$/.test(line)) return 'semicolons';
  return line.includes('  ') ? 'blanks' : null;
}

const SEPARATORS: Readonly<Record<Split, RegExp>> = {
  bars: /[|│║]+/g,
  tabs: /\t+/g,
  commas: /,/g,
  semicolons: /;/g,
  blanks: / {2,}/g,
};

function readRow(text: string, { start, end }: Range, split: Split): Row {
  const line = text.slice(start, end);
  const cells: Range[] = [];
  let from = 0;
  const add = (to: number) => {
    let first = from;
    let last = to;
    while (first < last && maySurround(line, first)) first++;
    while (last > first && maySurround(line, last - 1)) last--;
    cells.push({ start: start + first, end: start + last });
  };
  for (const { index, 0: separator } of line.matchAll(SEPARATORS[split])) {
    add(index);
    from = index + separator.length;
    if (cells.length > MOST_COLUMNS) return { start, end, split, cells: [] };
  }
  add(line.length);
  const isFramed = split === 'bars' || split === 'blanks';
  if (isFramed && cells[0]!.start === cells[0]!.end) cells.shift();
  if (isFramed && cells.at(-1)?.start === cells.at(-1)?.end) cells.pop();
  return { start, end, split, cells };
}

/**
 * Returns true for a header that is marked as one, false for an unmarked header, `null` for a row that is no
 * header.
 */
function headerKind(text: string, row: Row): boolean | null {
  const { split, cells } = row;
  if (cells.some(({ start, end }) => end === start || end - start > LONGEST_NAME)) return null;
  const below = nextRow(text, row);
  if (below.start >= text.length) return null;
  if (RULE.test(text.slice(below.start, Math.min(below.end, below.start + LONGEST_LINE)))) return true;
  if (split === 'bars') return null;
  const count = readRow(text, below, split).cells.length;
  const line = text.slice(row.start, row.end);
  if (split === 'blanks' && count > 1 && /^[A-Z][A-Z0-9 _()-]*$/.test(line)) return true;
  const isName = ({ start, end }: Range) => /^[A-Za-z][\w .-]*$/.test(text.slice(start, end));
  if (count !== cells.length || !cells.every(isName)) return null;
  return split !== 'blanks';
}

function rowsBelow(text: string, header: Row): Omit<Table, 'isCertain'> {
  const rows: Row[] = [];
  let line = nextRow(text, header);
  for (; line.start < text.length; line = nextRow(text, line)) {
    const content = text.slice(line.start, Math.min(line.end, line.start + LONGEST_LINE));
    if (TABLE_END.test(content)) break;
    if (!RULE.test(content) && line.end - line.start <= LONGEST_LINE)
      rows.push(readRow(text, line, header.split));
  }
  return { start: header.start, end: line.start, rows };
}

function cellUnder(header: Row, column: number, row: Row): Range | undefined {
  if (row.cells.length === header.cells.length) return row.cells[column];
  if (header.split !== 'blanks') return undefined;
  const offset = header.cells[column]!.start - header.start;
  return row.cells.find(({ start, end }) => start - row.start <= offset && end - row.start > offset);
}

/**
 * Returns a function that finds the cell of a row in the column `Value` of its table, as vault, az and psql
 * print tables.
 */
function valueCells(text: string) {
  let header: Row | null = null;
  let searched = 0;
  return (row: Row, column: number): Range | undefined => {
    const from = Math.max(searched, row.start - LONGEST_BLOCK);
    const gap = text.slice(from, row.start);
    const blank = gap.lastIndexOf('\n\n') + 1;
    if (blank > 0 || from > searched) header = null;
    searched = row.start;
    const line = /\bvalue\b/i.test(gap) ? HEADER.exec(gap.slice(blank)) : null;
    if (line) {
      const start = from + blank + line.index + (line[0].startsWith('\n') ? 1 : 0);
      header = readRow(text, { start, end: start + line[1]!.length }, row.split);
    }
    const at = header?.cells.findIndex((cell) => /^value$/i.test(text.slice(cell.start, cell.end))) ?? -1;
    return header && at > column ? cellUnder(header, at, row) : undefined;
  };
}

/** Matches a header with a column `Value`, and the rule below it. */
const HEADER = /(?:^|\n)([^\n]{0,1000}\bvalue\b[^\n]{0,1000})\n[^\n]{0,1000}[-=─═]{3}/i;
/** Length of the text above a row that is searched for the table's header (characters). */
const LONGEST_BLOCK = 2_000;

/**
 * True for a value that looks like a chosen secret, not like an object's name, an age, an address or a path:
 * at least 8 characters, with letters and digits, without blanks.
 */
function looksChosen(value: string): boolean {
  if (!/^\S{8,}$/.test(value) || /^\d+[smhdwy]|^https?:|^\//.test(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value) && !isObjectName(value);
}
