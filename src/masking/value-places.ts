import { maskedEnd } from './masks.ts';

/** Where a value stands and how it is written. */
export interface Place {
  start: number;
  end: number;
  quoted: boolean;
  /** The rest of a line in `key: value` form. */
  wholeLine: boolean;
  /** In the form of program code, `name = value`. */
  code: boolean;
  /** Beside its name, in an entry of its own: a setting, wherever that entry stands. */
  setting?: boolean;
  /** After a scheme of HTTP authorization, such as `Bearer`. */
  scheme?: boolean;
}

const OPEN = /(\\{0,31})(["'`])/y;

/** The inside of a quoted text that starts at a position: to the quote that is escaped as much as the first, or the line's end. */
export function quotedValue(text: string, at: number): Place | null {
  OPEN.lastIndex = at;
  const open = OPEN.exec(text);
  if (!open) return null;
  const level = open[1]!.length;
  const quote = open[2]!;
  const start = OPEN.lastIndex;
  const place = { start, quoted: true, wholeLine: false, code: false };
  for (let next = start; next < text.length; next++) {
    const char = text[next]!;
    if (char === '\n') return { ...place, end: next };
    if (char !== quote) continue;
    const slashes = backslashesBefore(text, next, start);
    if (quote === "'" && level === 0) {
      // YAML and SQL write a quote within as two.
      if (text[next + 1] === "'") next++;
      else if (slashes % 2 === 0) return { ...place, end: next };
    } else if (closes(slashes, level)) {
      // One that is escaped less closes too; then there are fewer backslashes to leave out.
      return { ...place, end: next - Math.min(slashes, level) };
    }
  }
  return { ...place, end: text.length };
}

/** Whether a quote after so many backslashes ends a text whose first quote had `level` of them. */
function closes(slashes: number, level: number): boolean {
  if (level === 0) return slashes % 2 === 0;
  return slashes <= level || (slashes - level) % (2 * (level + 1)) === 0;
}

function backslashesBefore(text: string, at: number, from: number): number {
  let count = 0;
  while (at - count > from && text.charCodeAt(at - count - 1) === 92) count++;
  return count;
}

/** Signs that can belong to a value or end it. What follows decides. */
const MAY_END =
  /[,;&]+(?:\s|$|["'\\{}[\]()]|[A-Za-z_][\w.-]{0,60}["']?[ \t]{0,3}[=:])|[}\])|]+(?:$|[\s,;:}\])"'&])/y;
const ESCAPE_END = /\\+(?:["'`]|[nrt](?:$|["'\\\s}\]]|[A-Za-z_][\w.-]{0,60}["']?[ \t]{0,3}[=:]))/y;

/**
 * A value without quotes: to the next blank, or to the end of the line when the line is `key: value`. Null when there
 * is none.
 */
export function bareValue(text: string, start: number, wholeLine: boolean): Place | null {
  const place = { start, quoted: false, wholeLine, code: false };
  const masked = maskedEnd(text, start);
  if (masked >= 0) return { ...place, end: masked };
  if (wholeLine) {
    const end = wholeLineEnd(text, start);
    return end > start ? { ...place, end } : null;
  }
  let end = start;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code <= 32 || code === 34 || code === 39 || code === 96 || code === 60) break;
    if (code === 92 ? endsAt(ESCAPE_END, text, end) : isSign(code) && endsAt(MAY_END, text, end)) break;
  }
  // A stand-in such as <none> starts with what ends other values.
  if (end === start && text[start] === '<') return null;
  return end > start ? { ...place, end } : null;
}

/** `,` `;` `&` `}` `]` `)` `|` */
function isSign(code: number): boolean {
  return (
    code === 44 || code === 59 || code === 38 || code === 125 || code === 93 || code === 41 || code === 124
  );
}

function endsAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function wholeLineEnd(text: string, start: number): number {
  const eol = text.indexOf('\n', start);
  let end = eol < 0 ? text.length : eol;
  const comment = / #/.exec(text.slice(start, Math.min(end, start + 4096)));
  if (comment) end = start + comment.index;
  while (end > start && /[\s,]/.test(text[end - 1]!)) end--;
  return end;
}

/** The lines below a block scalar's `|`, as far as they are indented more than its key's line. */
export function blockValue(text: string, keyAt: number, contentAt: number): Place | null {
  const keyLine = text.lastIndexOf('\n', Math.max(0, keyAt - 1)) + 1;
  const indent = keyAt - keyLine;
  let start = -1;
  let end = -1;
  for (let line = contentAt; line < text.length; ) {
    const eol = text.indexOf('\n', line);
    const lineEnd = eol < 0 ? text.length : eol;
    let first = line;
    while (first < lineEnd && (text[first] === ' ' || text[first] === '\t' || text[first] === '\r')) first++;
    if (first < lineEnd) {
      if (first - line <= indent - (text[keyAt - 1] === '"' ? 1 : 0)) break;
      if (start < 0) start = first;
      end = text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
    }
    line = lineEnd + 1;
  }
  return start < 0 ? null : { start, end, quoted: true, wholeLine: false, code: false };
}
