/** The name of a field in a line, and where its value begins. Positions are those of the whole text. */
export interface Field {
  /** Of what belongs to the name: its first sign, or the escaped line end before it. */
  start: number;
  nameStart: number;
  nameEnd: number;
  valueStart: number;
}

/** Longest name that is taken for one, and what may stand between it and its separator (characters). */
const LONGEST_NAME = 253;
const MOST_QUOTES = 600;
const MOST_BLANKS = 80;
/** No name of a field, but data before a colon. */
const RANDOM = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{12,}$/;

/** Signs that no name of a field stands behind: what follows is the rest of a value. */
const INSIDE_VALUES = '*%@~^!';

/** By character code: letters, digits, `.` `_` `/` `-`. */
const IN_NAME = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9._/-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** The fields of the line at [start, end), whatever stands around them: `name: value`, `name="value"`, also escaped. */
export function fieldsOf(text: string, start: number, end: number): Field[] {
  const fields: Field[] = [];
  for (let at = start, done = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code !== 58 && code !== 61) continue; // : =
    if (at + 1 < end && !startsValue(text.charCodeAt(at + 1))) continue;
    const field = fieldBefore(text, done, at, end);
    if (field === null) continue;
    fields.push(field);
    done = field.valueStart;
    at = field.valueStart - 1;
  }
  return fields;
}

/** Blanks, a quote, an escape, a bracket. */
function startsValue(code: number): boolean {
  return isBlank(code) || isQuote(code) || code === 123 || code === 91;
}

/** The field whose separator stands at a position; null when there is no name before it. */
function fieldBefore(text: string, from: number, separator: number, end: number): Field | null {
  let at = separator;
  while (at > from && separator - at < MOST_BLANKS && isSpace(text.charCodeAt(at - 1))) at--;
  const quotes = at;
  while (at > from && quotes - at < MOST_QUOTES && isQuote(text.charCodeAt(at - 1))) at--;
  const nameEnd = at;
  while (at > from && nameEnd - at <= LONGEST_NAME && isName(text.charCodeAt(at - 1))) at--;
  if (at === nameEnd || nameEnd - at > LONGEST_NAME) return null;
  if (at > from && INSIDE_VALUES.includes(text[at - 1]!)) return null;
  let nameStart = at;
  let start = at;
  if (at > from && at + 1 < nameEnd && text.charCodeAt(at - 1) === 92 && isLineEndSign(text.charCodeAt(at))) {
    nameStart++;
    while (start > from && text.charCodeAt(start - 1) === 92) start--;
  }
  if (nameEnd - nameStart >= 12 && RANDOM.test(text.slice(nameStart, nameEnd))) return null;
  if (text.charCodeAt(separator) === 61 && isPadding(text, separator, end, nameStart, nameEnd)) return null;
  let valueStart = separator + 1;
  while (valueStart < end && isSpace(text.charCodeAt(valueStart))) valueStart++;
  return { start, nameStart, nameEnd, valueStart };
}

/** Whether an `=` ends base64 instead of a name: the name is in quotes, or nothing comes after the sign. */
function isPadding(text: string, at: number, end: number, nameStart: number, nameEnd: number): boolean {
  if (nameEnd < at) return false;
  if (isQuote(text.charCodeAt(nameStart - 1))) return true;
  let next = at + 1;
  if (next >= end || isBlank(text.charCodeAt(next))) return true;
  if (text.charCodeAt(next) !== 92) return false;
  while (text.charCodeAt(next) === 92) next++;
  return isLineEndSign(text.charCodeAt(next));
}

function isName(code: number): boolean {
  return IN_NAME[code] === 1;
}

/** Space, tab. */
function isSpace(code: number): boolean {
  return code === 32 || code === 9;
}

/** Also the blanks beyond ASCII. */
function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || (code > 127 && /\s/.test(String.fromCharCode(code)));
}

/** `"` `'` `\` */
function isQuote(code: number): boolean {
  return code === 34 || code === 39 || code === 92;
}

/** What stands for a line's end or a tab after a backslash: `n` `r` `t`. */
function isLineEndSign(code: number): boolean {
  return code === 110 || code === 114 || code === 116;
}
