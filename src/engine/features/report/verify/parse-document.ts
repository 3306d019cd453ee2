import { addNode, type NewNode, type Node } from './node.ts';
import { parseJson } from './parse-json.ts';
import { addRow, isAboveCells, isOneCell, isRule, readHeading, type SplitRow } from './parse-table.ts';
import { addTextFields } from './text-fields.ts';

interface Line {
  text: string;
  start: number;
  indent: number;
  /** Name of the field that the line begins with; `null` for other lines. */
  key: string | null;
  /** Column of the value. */
  value: number;
  isItem: boolean;
}

/** Parses an output into its records: JSON, tables, indented fields, and lines. Takes linear time. */
export function parseDocument(text: string): Node {
  const root = addNode(null, { start: 0, end: text.length });
  const lines = alignRuns(splitLines(text));
  let open: { indent: number; node: Node }[] = [];
  let table: Table | null = null;
  let jsonEnd = 0;
  let isFirst = true;

  const parentOf = ({ indent, isItem, key }: Line): Node => {
    while (open.length > 0) {
      const { node, indent: above } = open.at(-1)!;
      const isAbove = above < indent || (isItem && above === indent && !node.isRow);
      // A line of prose is no part of a line of prose above it, even if it is indented more.
      if (isAbove && (key !== null || isItem || !node.isRow || node.text === '')) return node;
      if (isAbove) break;
      open.pop();
    }
    return open.findLast(({ node }) => !node.isRow || node.text === '')?.node ?? root;
  };

  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.start < jsonEnd) continue;
    if (table === null && isPlainLogLine(line)) {
      open.length = 0;
      addNode(root, proseOf(line));
      isFirst = false;
      continue;
    }
    const body = line.text.trim();
    if (body === '' || isRule(body) || RECORD.test(body)) {
      if (body !== '' && table === null) open = RECORD.test(body) ? [newRecord(root, line)] : open;
      if (body === '') table = null;
      isFirst = true;
      continue;
    }
    const heading = table === null && /^[#[]/.test(body) ? HEADING.exec(body) : null;
    if (heading) {
      const node = addNode(root, { key: heading[1]!, start: line.start, end: line.start });
      open = [{ indent: -1, node }];
      isFirst = true;
      continue;
    }
    const json = table === null && /[{[]/.test(body) ? JSON_BEGINS.exec(line.text) : null;
    if (json) {
      const parent = parentOf(line);
      const node = addNode(parent, { key: line.key ?? '', start: line.start, end: line.start, isRow: true });
      const parsed = parseJson({ text, from: line.start + json.index, parseText }, node);
      jsonEnd = parsed.end;
      if (parsed.isValid) continue;
      parent.children.pop();
    }
    const next = lines[at + 1]?.text ?? '';
    if (table?.isInText && isOneCell(line.text)) table = null;
    if (table !== null && (line.indent < table.indent || isSameHeading(table, line.text, next))) {
      isFirst = line.indent >= table.indent;
      table = null;
    }
    const isNested = open.length > 0 && open.at(-1)!.indent < line.indent && open.at(-1)!.node.text === '';
    const mayBegin: boolean = table === null;
    const isInText: boolean =
      mayBegin && !isFirst && !isNested && isAboveCells(line.text, next, lines[at - 1]?.text);
    const begins: boolean = mayBegin && (isFirst || isNested || isInText);
    const split: SplitRow | null = begins ? readHeading(line.text, next, isNested) : null;
    if (split) {
      const parent = addNode(parentOf(line), { start: line.start, end: line.start });
      const first = body.split(/\s/, 1)[0]!;
      table = { split, first, indent: isNested ? line.indent : 0, parent, isInText };
    } else if (table) addRow(table.parent, line.text, line.start, table.split);
    else open.push(addLine(parentOf(line), line, open));
    isFirst = false;
  }
  return root;
}

/** True for a line that begins with a date, as most lines of long outputs do, and holds no JSON. */
function isPlainLogLine({ text, key, indent }: Line): boolean {
  return (
    indent === 0 &&
    key === null &&
    text[0]! >= '0' &&
    text[0]! <= '9' &&
    !text.includes('{') &&
    !text.includes('[')
  );
}

function proseOf({ text, start, indent }: Line): NewNode {
  const end = start + text.length;
  return { text: text.slice(indent), start: start + indent, end, isRow: true, expand: addTextFields };
}

/** Matches the beginning of JSON in a line. */
const JSON_BEGINS = /(?:\{\s*"|\[\s*[{["\]]|[{[]\s*$|\{\}|\[\])/;
/** Matches the line that separates records: of MySQL, psql and YAML. */
const RECORD = /^(?:\*{3,} .* \*{3,}|-\[ RECORD .*|---)$/;

/** Matches the heading of a section, such as `# Memory` or `[mysqld]`. */
const HEADING = /^(?:#+ |\[)(?!HELP|TYPE)([\p{L}][\w.-]*(?: [\w.-]+){0,2})\]?$/u;

interface Table {
  split: SplitRow;
  /** First word of the heading. */
  first: string;
  /** Indentation of a nested table. */
  indent: number;
  parent: Node;
  /** True if the table has a text above it, so that a line without columns ends it. */
  isInText: boolean;
}

function newRecord(root: Node, { start, text }: Line): { indent: number; node: Node } {
  return { indent: -1, node: addNode(root, { start, end: start + text.length, isRow: true }) };
}

function isSameHeading({ first }: Table, line: string, next: string): boolean {
  return line.trimStart().startsWith(first) && readHeading(line, next, false) !== null;
}

/** Adds a field or a line. A repeated field begins another record. */
function addLine(
  parent: Node,
  line: Line,
  open: { indent: number; node: Node }[],
): { indent: number; node: Node } {
  const { text, start, key, value, indent, isItem } = line;
  const end = start + text.length;
  let record = parent;
  if (isItem) {
    record = addNode(parent, { start: start + indent, end, isRow: true });
    open.push({ indent, node: record });
  } else if (key !== null) record = recordFor(parent, line);
  if (key === null)
    return {
      indent,
      node: addNode(record, proseOf({ ...line, indent: text.length - text.trimStart().length })),
    };
  const node = addNode(record, {
    key,
    text: text.slice(value).trim(),
    start: start + value,
    end,
    expand: addTextFields,
  });
  return { indent: isItem ? indent + 2 : indent, node };
}

function recordFor(parent: Node, { key, start }: Line): Node {
  const last = parent.children.at(-1);
  const isRecord = last?.isRow && last.text === '' && last.key === '' && last.expand === null;
  const current = isRecord ? last : parent;
  const fields = current.children;
  for (let at = fields.length - 1; at >= Math.max(0, fields.length - MAX_FIELDS); at--) {
    if (fields[at]!.isRow) break;
    if (fields[at]!.key !== key) continue;
    if (current === parent) {
      // The fields so far are the first record.
      const moved = fields.splice(at);
      const first = addNode(parent, { start: moved[0]!.start, end: moved[0]!.start, isRow: true });
      for (const field of moved) field.parent = first;
      first.children = moved;
    }
    return addNode(parent, { start, end: start, isRow: true });
  }
  return current;
}

/**
 * Parses the text in a JSON string, such as the output of a command. Positions of its nodes count in that
 * string.
 */
function parseText(node: Node): void {
  const inner = parseDocument(node.text);
  for (const child of inner.children) child.parent = node;
  node.children = inner.children;
  node.text = '';
}

/** Maximum number of fields that are compared with a new one. */
const MAX_FIELDS = 200;

/**
 * Matches the name of a field at the start of a line. TIGHT_FIELD matches names without a space after the
 * colon.
 */
const FIELD = /^(\s*(?:[<>*]\s+)?(?:;;\s*)?)((?:- )*)("?)([\p{L}_@/$][^:"{}=,]{0,60})\3:(?:\s+|$)/u;
const TIGHT_FIELD = /^(\s*)((?:- )*)()([A-Za-z_]{1,60}):(?=[^\s/:])/;

/** Matches a field of an expanded row of psql. */
const PIPE_FIELD = /^(\s*)()()(\w+) +\| (?!.*\|)/;

function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const stop = text.indexOf('\n', start);
    const end = stop < 0 ? text.length : stop;
    const last = text[end - 1] === '\r' ? end - 1 : end;
    lines.push(readLine(text.slice(start, Math.min(last, start + MAX_LINE)), start));
    start = end + 1;
  }
  return lines;
}

/** Longer lines are read only to this length (UTF-16 code units), unless they are JSON. */
const MAX_LINE = 20_000;

function readLine(text: string, start: number): Line {
  if (text[0]! >= '0' && text[0]! <= '9')
    return { text, start, indent: 0, key: null, value: 0, isItem: false };
  const head = text.slice(0, 200);
  const field = FIELD.exec(head) ?? TIGHT_FIELD.exec(head) ?? PIPE_FIELD.exec(head);
  const [whole = '', lead = '', item = '', , key = ''] = field ?? [];
  const isField = field !== null && key.split(' ').length <= 5;
  const indent = text.length - text.trimStart().length;
  const isItem = /^\s*- \S/.test(head);
  if (!isField) return { text, start, indent, key: null, value: indent, isItem };
  return { text, start, indent: lead.length, key: key.trim(), value: whole.length, isItem: item !== '' };
}

/** Gives fields that are aligned at their colons the same indentation. */
function alignRuns(lines: Line[]): Line[] {
  const colon = ({ key, isItem, indent, text, value }: Line) =>
    key === null || isItem || text.length <= value ? -1 : indent + key.length;
  for (let from = 0; from < lines.length; ) {
    const column = colon(lines[from]!);
    let to = from + 1;
    while (to < lines.length && column >= 0 && colon(lines[to]!) === column) to += 1;
    if (to - from >= MIN_RUN) {
      const run = lines.slice(from, to);
      const indent = run.reduce((least, line) => Math.min(least, line.indent), column);
      for (const line of run) line.indent = indent;
    }
    from = to;
  }
  return lines;
}

const MIN_RUN = 3;
