import type { Range } from './outline.ts';

const SEPARATOR = /^[ \t]*(?:---|```|~~~)/;
const DATA = /(?:(?<=\\[nrt])|\b)(?:data|stringData)[\\"']{0,600}\s{0,40}[:=]/;
/** The first bracket closes something: the beginning is cut off, and with it the name of what stands here. */
const TORN = /^[^{[]*[}\]]/;
/** Fields whose values are kept, when they look as they should. */
const OPEN =
  /^(?:apiVersion|kind|type|immutable|uid|resourceVersion|creationTimestamp|generation|metadata|data|stringData)$/;
const HARMLESS =
  /^(?:[A-Z][A-Za-z]{0,29}|(?:[a-z0-9.-]{1,60}\/)?v\d[a-z0-9]{0,9}|(?:kubernetes\.io|helm\.sh|bootstrap\.kubernetes\.io)\/[a-z0-9.-]{1,40}|true|false|\d{1,12}|[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]{8,20}Z)?$/;
/** Line ends that are escaped, quotes and brackets around a value. */
const LEAD = /^(?:\\+[nrt]|[\s\\"'{}[\],|>])*/;
const TAIL = /(?:\\+[nrt]|[\s\\"'{}[\],])+$/;
const PLACEHOLDERS = /\[MASKED_[A-Z0-9_]{1,60}\]/g;
const AROUND = /^[\s\\"'{}[\],]+|[\s\\"'{}[\],]+$/g;
const MASKED = /^\W*\[MASKED_[A-Z0-9_]{1,60}\]\W*$/;
/** What tools put before the lines of a text: marks of a diff or a quotation, line numbers, names of files. */
const GUTTER = /^(?:[\w./-]{1,200}:(?=\s*\S))?[\s|>+-]*(?:\d{1,6}[:|\t-])?\s*/;
const SENTENCE = /^[A-Za-z][a-z]*[,:;]?(?: [A-Za-z',.;:()-]+){2,}[.!?:]?$/;
/** Values that hide nothing. */
const NOTHING = /^(?:null|~|\d+ bytes)$/;
/** No name of a field, but data before a colon. */
const RANDOM = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{12,}$/;
const FIELD =
  /(?:\\+[nrt]\s{0,80}|(?<![A-Za-z0-9._/-]))([A-Za-z0-9._/-]{1,253})[\\"']{0,600}[ \t]{0,80}[:=](?=[\s\\"'{[]|$)[ \t]{0,80}/g;

/**
 * For text that names a Secret in a form nothing else could read: masks every value in that document but those of
 * well-known harmless fields, and every line that is neither field nor sentence. Better too much than a leak.
 * @param mentions where Secrets are named, ascending
 */
export function findCoarsely(text: string, mentions: readonly number[]): Range[] {
  const ranges: Range[] = [];
  let documentEnd = -1;
  for (const mention of mentions) {
    if (mention < documentEnd) continue;
    const start = documentStart(text, mention, Math.max(0, documentEnd));
    documentEnd = nextSeparator(text, mention);
    const isTorn = TORN.test(text.slice(start, mention));
    if (isTorn || DATA.test(text.slice(start, documentEnd))) readDocument(text, start, documentEnd, ranges);
  }
  return ranges;
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

/** The names of fields in a line with what separates them from their values. */
function fieldsOf(line: string): RegExpExecArray[] {
  const fields: RegExpExecArray[] = [];
  if (!line.includes(':') && !line.includes('=')) return fields;
  FIELD.lastIndex = 0;
  for (let field = FIELD.exec(line); field; field = FIELD.exec(line)) {
    if (!RANDOM.test(field[1]!)) fields.push(field);
  }
  return fields;
}

/** Whether nothing but placeholders and escaped line ends stands in a value. */
function isMaskedWithin(value: string): boolean {
  if (!value.includes('\\') && !value.includes('[MASKED_')) return false;
  const bare = value.replace(PLACEHOLDERS, '').replace(/\\+[nrt]/g, '');
  return bare.length < value.length && !/[A-Za-z0-9]/.test(bare);
}

/** Whether a value is letters and digits only, so that there is nothing around it to leave out. */
function isPlain(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    if (!isLetter && (code < 48 || code > 57)) return false;
  }
  return value !== '';
}

function readLine(text: string, start: number, end: number, ranges: Range[]): void {
  const line = text.slice(start, end);
  if (line.length < 12 && SEPARATOR.test(line)) return;
  const fields = fieldsOf(line);
  const gutter = GUTTER.exec(line)![0].length;
  const first = fields[0]?.index;
  if (first === undefined || (first !== gutter && !/^\W*$/.test(line.slice(gutter, first)))) {
    const content = line.slice(gutter).trim();
    if (
      content.length < 4 ||
      MASKED.test(content) ||
      SENTENCE.test(content) ||
      /^[^A-Za-z0-9]+$/.test(content)
    )
      return;
    ranges.push({ start: start + gutter, end: start + gutter + content.length });
    return;
  }
  for (const [index, field] of fields.entries()) {
    const valueStart = field.index + field[0].length;
    const valueEnd = fields[index + 1]?.index ?? line.length;
    const valueText = line.slice(valueStart, valueEnd);
    if (MASKED.test(valueText)) continue;
    if (OPEN.test(field[1]!) && HARMLESS.test(valueText.replace(AROUND, ''))) continue;
    if (isPlain(valueText)) {
      if (!NOTHING.test(valueText))
        ranges.push({ start: start + valueStart, end: start + valueStart + valueText.length });
      continue;
    }
    if (isMaskedWithin(valueText)) continue;
    let from = LEAD.exec(valueText)![0].length;
    let to = from + valueText.slice(from).replace(TAIL, '').length;
    // What is masked already is covered as a whole, never cut into.
    if (valueText.startsWith('[MASKED_', from - 1)) from--;
    if (/\[MASKED_[A-Z0-9_]+$/.test(valueText.slice(0, to)) && valueText[to] === ']') to++;
    if (to <= from || NOTHING.test(valueText.slice(from, to))) continue;
    const at = start + valueStart;
    ranges.push({ start: at + from, end: at + to });
  }
}
