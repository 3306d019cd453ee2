import { type Field, fieldsOf } from './coarse-fields.ts';
import { lineEnd } from './flow.ts';
import type { Range } from './outline.ts';

const SEPARATOR = /^[ \t]*(?:---|```|~~~)/;
const DATA = /(?:(?<=\\[nrt])|\b)(?:data|stringData)[\\"']{0,600}\s{0,40}[:=]/;
/** A letter written as its code, which may be one of the name of the data. */
const CODED = /\\[ux]/;
/** The first bracket closes something: the beginning is cut off, and with it the name of what stands here. */
const TORN = /^[^{[]*[}\]]/;
/** Fields whose values are kept, when they look as they should. */
const OPEN =
  /^(?:apiVersion|kind|type|immutable|uid|resourceVersion|creationTimestamp|generation|metadata|data|stringData)$/;
const HARMLESS =
  /^(?:[A-Z][A-Za-z]{0,29}|(?:[a-z0-9.-]{1,60}\/)?v\d[a-z0-9]{0,9}|(?:kubernetes\.io|helm\.sh|bootstrap\.kubernetes\.io)\/[a-z0-9.-]{1,40}|true|false|\d{1,12}|[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]{8,20}Z)?$/;
/** By character code: blanks, backslash, quotes, brackets, comma. */
const AROUND = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\s\\"'{}[\],]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const ESCAPED_ENDS = /(?<!\\)\\+[nrt]/g;
const PLACEHOLDERS = /\[MASKED_[A-Z0-9_]{1,60}\]/g;
const MASKED = /^\W*\[MASKED_[A-Z0-9_]{1,60}\]\W*$/;
/** What tools put before the lines of a text: marks of a diff or a quotation, line numbers, names of files. */
const GUTTER = /^(?:[\w./-]{1,200}:(?=\s*\S))?[\s|>+-]*(?:\d{1,6}[:|\t-])?\s*/;
const SENTENCE = /^[A-Za-z][a-z]*[,:;]?(?: [A-Za-z',.;:()-]+){2,}[.!?:]?$/;
/** Values that hide nothing. */
const NOTHING = /^(?:null|~|\d+ bytes)$/;
/** What says that the value is on the lines below. A comment behind it counts as a value here. */
const BLOCK_HEADER = /^[|>](?:\d?[+-]?|[+-]\d)\s*$/;
/**
 * For text that names a Secret in a form nothing else could read: masks every value in that document but those of
 * well-known harmless fields, and every line that is neither field nor sentence. Better too much than a leak.
 * @param mentions where Secrets are named, ascending
 */
export function findCoarsely(text: string, mentions: readonly number[]): Range[] {
  const ranges: Range[] = [];
  for (const { start, end, mention } of documentsOf(text, mentions)) {
    const isTorn = TORN.test(text.slice(start, mention));
    if (isTorn || DATA.test(text.slice(start, end))) readDocument(text, start, end, ranges);
  }
  return ranges;
}

/**
 * For text that names very many Secrets in forms nothing else could read: each document with one of them is masked,
 * unless there is surely no data in it.
 * @param mayHold whether something says that there may be data anywhere in the text
 */
export function findWhole(text: string, mentions: readonly number[], mayHold: boolean): Range[] {
  const ranges: Range[] = [];
  for (const { start, end, mention } of documentsOf(text, mentions)) {
    const document = text.slice(start, end);
    const isTorn = TORN.test(text.slice(start, mention));
    if (!mayHold && !isTorn && !DATA.test(document) && !CODED.test(document)) continue;
    ranges.push({ start: SEPARATOR.test(document) ? lineEnd(text, start) : start, end });
  }
  return ranges;
}

/** The documents that Secrets are named in, and where the first one is named. */
function documentsOf(text: string, mentions: readonly number[]): (Range & { mention: number })[] {
  const documents: (Range & { mention: number })[] = [];
  let end = -1;
  for (const mention of mentions) {
    if (mention < end) continue;
    const start = documentStart(text, mention, Math.max(0, end));
    end = nextSeparator(text, mention);
    documents.push({ start, end, mention });
  }
  return documents;
}

function documentStart(text: string, at: number, least: number): number {
  for (let lineEnd = at; ; ) {
    const start = text.lastIndexOf('\n', lineEnd - 1) + 1;
    if (start <= least || lineEnd <= 0) return least;
    if (SEPARATOR.test(text.slice(start, start + 40))) return start;
    lineEnd = start - 1;
  }
}

/** End of the document that a position is in. */
export function nextSeparator(text: string, at: number): number {
  for (let eol = text.indexOf('\n', at); eol >= 0; eol = text.indexOf('\n', eol + 1)) {
    if (SEPARATOR.test(text.slice(eol + 1, eol + 41))) return eol;
  }
  return text.length;
}

/** Masks a stretch of text in the same way, wherever its documents begin and end. */
export function readDocument(text: string, from: number, to: number, ranges: Range[]): void {
  for (let start = from; start < to; ) {
    const eol = text.indexOf('\n', start);
    const end = eol < 0 || eol > to ? to : eol;
    readLine(text, start, end, ranges);
    start = end + 1;
  }
}

/** Whether nothing but placeholders and escaped line ends stands in a value. */
function isMaskedWithin(value: string): boolean {
  if (!value.includes('\\') && !value.includes('[MASKED_')) return false;
  const bare = value.replace(PLACEHOLDERS, '').replace(ESCAPED_ENDS, '');
  return bare.length < value.length && !/[A-Za-z0-9]/.test(bare);
}

/** Whether a value is letters and digits only, so that there is nothing around it to leave out. */
function isPlain(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    if (!isLetter && (code < 48 || code > 57)) return false;
  }
  return end > start;
}

function readLine(text: string, start: number, end: number, ranges: Range[]): void {
  if (end - start < 12 && SEPARATOR.test(text.slice(start, end))) return;
  const fields = fieldsOf(text, start, end);
  if (fields.length === 0 || !isFirst(text, start, end, fields[0]!)) {
    readWords(text, start, end, ranges);
    return;
  }
  for (let index = 0; index < fields.length; index++)
    readValue(text, fields[index]!, fields[index + 1]?.start ?? end, ranges);
}

/** Whether nothing but signs stands before a field on its line. */
function isFirst(text: string, start: number, end: number, { start: first }: Field): boolean {
  let at = start;
  while (at < first && isGutterSign(text.charCodeAt(at))) at++;
  if (at === first) return true;
  const gutter = start + GUTTER.exec(text.slice(start, end))![0].length;
  return first <= gutter || /^\W*$/.test(text.slice(gutter, first));
}

/** A line without fields: masked whole, unless it is masked already or a sentence. */
function readWords(text: string, start: number, end: number, ranges: Range[]): void {
  const line = text.slice(start, end);
  const gutter = GUTTER.exec(line)![0].length;
  const content = line.slice(gutter).trim();
  if (content.length < 4 || MASKED.test(content) || SENTENCE.test(content) || /^[^A-Za-z0-9]+$/.test(content))
    return;
  ranges.push({ start: start + gutter, end: start + gutter + content.length });
}

function readValue(
  text: string,
  { nameStart, nameEnd, valueStart }: Field,
  end: number,
  ranges: Range[],
): void {
  const isOpen = OPEN.test(text.slice(nameStart, nameEnd));
  if (!isOpen && isPlain(text, valueStart, end)) {
    if (!NOTHING.test(text.slice(valueStart, end))) ranges.push({ start: valueStart, end });
    return;
  }
  const value = text.slice(valueStart, end);
  if (MASKED.test(value) || isMaskedWithin(value) || BLOCK_HEADER.test(value)) return;
  const goesOn = end < text.length && isUnclosed(value);
  if (isOpen && !goesOn && HARMLESS.test(bareOf(value))) return;
  let from = leadEnd(value);
  let to = tailStart(value, from);
  // What is masked already is covered as a whole, never cut into.
  if (value.startsWith('[MASKED_', from - 1)) from--;
  if (/\[MASKED_[A-Z0-9_]+$/.test(value.slice(0, to)) && value[to] === ']') to++;
  if (to <= from || NOTHING.test(value.slice(from, to))) return;
  ranges.push({ start: valueStart + from, end: valueStart + to });
}

/** Whether a quote opens a value that goes on after its line. */
function isUnclosed(value: string): boolean {
  const quote = value[0];
  return (quote === '"' || quote === "'") && value.indexOf(quote, 1) < 0;
}

/** A value without the quotes and brackets around it. */
function bareOf(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isAround(value, start)) start++;
  while (end > start && isAround(value, end - 1)) end--;
  return value.slice(start, end);
}

/** Where a value begins after escaped line ends, quotes, brackets and signs. */
function leadEnd(value: string): number {
  let at = 0;
  while (at < value.length) {
    const code = value.charCodeAt(at);
    if (code === 92) {
      while (value.charCodeAt(at) === 92) at++;
      if (isLineEndSign(value.charCodeAt(at))) at++;
    } else if (isAround(value, at) || code === 124 || code === 62) at++;
    else break;
  }
  return at;
}

/** Where escaped line ends, quotes and brackets after a value begin. */
function tailStart(value: string, from: number): number {
  let at = value.length;
  while (at > from) {
    if (isAround(value, at - 1)) at--;
    else if (isLineEndSign(value.charCodeAt(at - 1)) && at - 2 >= from && value.charCodeAt(at - 2) === 92)
      at -= 2;
    else break;
  }
  return at;
}

/** A blank, backslash, quote, bracket or comma. */
function isAround(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code <= 127 ? AROUND[code] === 1 : /\s/.test(text[at]!);
}

/** `n` `r` `t` */
function isLineEndSign(code: number): boolean {
  return code === 110 || code === 114 || code === 116;
}

/** Space, tab, `|` `>` `+` `-` */
function isGutterSign(code: number): boolean {
  return code === 32 || code === 9 || code === 124 || code === 62 || code === 43 || code === 45;
}
