import { addNode, type Node } from './node.ts';
import { addTextFields } from './text-fields.ts';

/** A cell or a heading with its position in its line. */
interface Cell {
  text: string;
  from: number;
  to: number;
}

/** Splits a row of a table into its named cells. */
export type SplitRow = (line: string) => (Cell & { name: string })[];

const RULE = /^[\s|+:=─-]*-[\s|+:=─-]*$/;
/** Matches cells that cannot be headings: figures, times, values of fields and labels. */
const NOT_HEADING = /^[\d.,]+$|\d{2,}[:.]|[=<>"'{}]|:$|^[^\p{L}\d%#|]/u;

export const isRule = (line: string) => RULE.test(line);

/** Returns how to split the rows below a heading; `null` if the line is not the heading of a table. */
export function readHeading(line: string, next: string, isNested: boolean): SplitRow | null {
  const isRuled = isRule(next);
  if (line.includes('|')) {
    const names = cells(line, /[^|]+/g);
    return isRuled && names.length > 1 && names.every(isHeading) ? delimited(names, /[^|]*/g) : null;
  }
  for (const [mark, pattern] of [
    ['\t', /[^\t]+/g],
    [',', /[^,]+/g],
  ] as const) {
    if (!line.includes(mark) || line.split(mark).length !== next.split(mark).length) continue;
    const names = cells(line, pattern);
    const isPlain = mark === '\t' || names.every(({ text }) => /^[\p{L}_][\w.%-]*$/u.test(text));
    return isPlain && names.every(isHeading) ? delimited(names, mark === '\t' ? /[^\t]*/g : CSV_CELL) : null;
  }
  const names = cells(line, WIDE);
  const isCertain =
    isRuled || isNested || names.length > 2 || names.every(({ text }) => !/\p{Ll}/u.test(text));
  if (names.length < 2 || !names.every(isHeading) || !isCertain) return null;
  return isRuled || cells(next, /\S+/g).length > 1 ? aligned(line) : null;
}

/**
 * True for a heading in the middle of a text: each of its words stands exactly above a cell. A line with
 * digits counts only if the line above it ends with a colon.
 */
export function isAboveCells(line: string, next: string, above = ''): boolean {
  if (!line.includes('  ') || (/\d/.test(line) && !above.endsWith(':'))) return false;
  const names = cells(line, WIDE);
  const starts = new Set(cells(next, WIDE).map(({ from }) => from));
  return names.length > 2 && names.every(({ from }) => starts.has(from));
}

/** True for a line without columns, which ends a table in the middle of a text. */
export const isOneCell = (line: string): boolean => cells(line, WIDE).length === 1;

const isHeading = ({ text }: Cell) => !NOT_HEADING.test(text);
const CSV_CELL = /"(?:[^"]|"")*"|[^,]*/g;
/** Matches cells that two spaces or more separate. */
const WIDE = /\S+(?: \S+)*/g;

export function addRow(parent: Node, line: string, start: number, split: SplitRow): void {
  const expand = (row: Node) => {
    for (const { name, text, from, to } of split(line))
      addNode(row, { key: name, text, start: start + from, end: start + to, expand: addTextFields });
  };
  addNode(parent, { start, end: start + line.length, isRow: true, expand });
}

function cells(line: string, pattern: RegExp): Cell[] {
  return [...line.matchAll(pattern)].flatMap(({ 0: raw, index }) => {
    const text = raw.trim();
    const from = index + raw.indexOf(text);
    return text === '' ? [] : [{ text, from, to: from + text.length }];
  });
}

/** Returns a function that splits rows at a delimiter. Surplus delimiters are part of the last cell. */
function delimited(names: readonly Cell[], pattern: RegExp): SplitRow {
  return (line) => {
    const lead = /^\s*\|/.exec(line)?.[0].length ?? 0;
    const body = line.slice(lead).replace(/\|\s*$/, '');
    const parts = [...body.matchAll(pattern)].filter(
      ({ 0: part, index }) => part !== '' || index === 0 || /[|\t,]/.test(body[index - 1]!),
    );
    return names.flatMap(({ text: name }, column) => {
      const part = parts[column];
      if (part === undefined) return [];
      const isLast = column === names.length - 1;
      const raw = isLast ? body.slice(part.index) : part[0];
      const text = raw.trim();
      const from = lead + part.index + raw.indexOf(text);
      return [{ name, text: text.replace(/^"(.*)"$/, '$1'), from, to: from + text.length }];
    });
  };
}

/**
 * Returns a function that splits rows aligned by spaces. The function assigns cells to headings by their number if that
 * is the same and fits, otherwise by position, and single words if cells do not fit.
 */
function aligned(heading: string): SplitRow {
  const names = cells(heading, WIDE);
  const words = cells(heading, /\S+/g);
  const isWide = names.every(({ text }) => text.split(' ').length <= 2);
  return (line) => {
    const found = cells(line, WIDE);
    const isBelow = found.every(({ from }, index) => from === names[index]?.from);
    if (found.length === names.length && (isWide || isBelow))
      return found.map((cell, index) => ({ ...cell, name: names[index]!.text }));
    const starts = found.filter(({ from }) => names.some((name) => name.from === from));
    if (isWide && found.length - starts.length <= 1 && starts.length > 1)
      return belowHeadings(line, found, names);
    return belowWords(line, cells(line, /\S+/g), words);
  };
}

function belowHeadings(line: string, found: readonly Cell[], names: readonly Cell[]): ReturnType<SplitRow> {
  // The name of a row stands before the first heading.
  const row = found.filter(({ from }) => from < names[0]!.from).map((cell) => ({ ...cell, name: '' }));
  const below = names.flatMap((name, index) => {
    const next = names[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    const inside = found.filter(({ from }) => from >= name.from && from < next);
    if (inside.length === 0) return [];
    const [from, to] = [inside[0]!.from, inside.at(-1)!.to];
    return [{ name: name.text, text: line.slice(from, to), from, to }];
  });
  return [...row, ...below];
}

/**
 * Assigns each word to the heading above it, in order. A word behind the last heading joins the last cell;
 * another word without a heading gets an empty name.
 */
function belowWords(line: string, found: readonly Cell[], names: readonly Cell[]): ReturnType<SplitRow> {
  const result: ReturnType<SplitRow> = [];
  let next = 0;
  for (const word of found) {
    const column = names.findIndex(
      ({ from, to }, index) => index >= next && word.from < to && word.to > from,
    );
    if (column >= 0) {
      result.push({ ...word, name: names[column]!.text });
      next = column + 1;
    } else if (next === names.length) {
      const last = result.at(-1)!;
      last.to = word.to;
      last.text = line.slice(last.from, last.to);
    } else result.push({ ...word, name: '' });
  }
  return result;
}
