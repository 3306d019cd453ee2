import { maskedEnd } from './masks.ts';
import { characterTable, lineEnd, matchEnd, type Range } from './text.ts';

export interface Place extends Range {
  quoted: boolean;
  /** True if the value is the rest of a `key: value` line, so it may be a sentence. */
  wholeLine?: boolean;
  /** True for `name = value` with spaces, as in program code. */
  code?: boolean;
  /** True if name and value are two fields of one entry (`name: …, value: …`), which is always a setting. */
  setting?: boolean;
  /** True after an HTTP authorization scheme such as `Bearer`. */
  scheme?: boolean;
}

/** Matches the start of a wrapper around a value: `Some(`, `SecretStr(b`, `Token(value=`, `Optional[`, `<<`, `ref: `. */
const WRAPPER =
  /(?:(?:new[ \t]{1,4})?([A-Za-z_][\w.:]{0,60}?)(?:\(|(?<=Optional)\[)|<<|\(?ConvertTo-SecureString[ \t]{1,9}(?:-(?:String|AsPlainText)[ \t]{1,9}){0,2}|\((?=\s{0,80}[bruf]{0,2}\\{0,15}["'])|[A-Z]\w{0,40}[ \t]{0,4}\{)(?:\s|\\{1,15}[nrt]){0,80}(?:(?:value|_value|root|inner|string|s|plain_?text|secret|secret_value|p_data)[ \t]{0,4}[:=][ \t]{0,4})?(?:[bruf]{1,2}|@|\$)?(?=\\{0,15}["'A-Za-z0-9(<[])/iy;
/** Matches names of functions that look a value up, so that their arguments are names of secrets. */
const LOOKUP =
  /^(?:(?:os|process|System|env|self|this|std|vault|k8s|data|var|local|config|settings|lib|utils?)\.|function$|lambda$|if$|for$|while$|return$|not$|and$|or$|any$|all$|len$|sizeof$|typeof$|n?(?:var)?char2?$|text$|from$|select$|coalesce$)|(?:^|[._:])_?(?:get|fetch|read|load|lookup|find|open|file|env|ref|resolve|input|prompt|ask|print|is|has|require|include|import|expect|validate|verify|check|hash|mask|redact|generate|random|create|make|must)|environ$|getenv$/i;
const MOST_WRAPPERS = 4;

/**
 * Returns the start of the text inside wrappers, such as `abc` in `Some(abc)`; -1 without a wrapper. Calls of
 * lookup functions, such as `getenv(`, are no wrappers.
 */
export function unwrapped(text: string, from: number): number {
  let at = from;
  for (let depth = 0; depth < MOST_WRAPPERS; depth++) {
    WRAPPER.lastIndex = at;
    const match = WRAPPER.exec(text);
    if (!match || LOOKUP.test(match[1] ?? '')) break;
    at = WRAPPER.lastIndex;
  }
  return at > from ? at : -1;
}

const OPEN = /(\\{0,31})(["'`])/y;
/** Matches quotes directly followed by more of the same token, as in `'a'"'"'b'` or `abc'def`. */
const CONTINUES = /["'`]+[A-Za-z0-9$%*+@#!^~_-]/y;

/**
 * Returns the end of the token around the quotation mark at `from`, as in `'a'"'"'b'`, so that no part of a
 * secret stays beside its mask.
 */
function tokenEnd(text: string, from: number): number {
  let end = from;
  for (let next = matchEnd(CONTINUES, text, end); next >= 0; next = matchEnd(CONTINUES, text, end)) {
    end = next;
    while (end < text.length && !TOKEN_ENDS[text.charCodeAt(end)]) end++;
  }
  return end;
}
const TOKEN_ENDS = characterTable(/[\s"'`<>,;(){}[\]|\\]/);

/** Returns the inside of a quoted text, up to the same quote or the end of the line; `null` if none starts here. */
export function quotedValue(text: string, at: number): Place | null {
  OPEN.lastIndex = at;
  const open = OPEN.exec(text);
  if (!open) return null;
  const level = open[1]!.length;
  const quote = open[2]!;
  const start = OPEN.lastIndex;
  const place = { start, quoted: true };
  for (let next = start; next < text.length; next++) {
    const char = text[next]!;
    if (char === '\n') return { ...place, end: next };
    if (char !== quote) continue;
    const slashes = backslashesBefore(text, next, start);
    if (quote === "'" && level === 0) {
      // YAML and SQL double a quote within quotes.
      if (text[next + 1] === "'") next++;
      else if (slashes % 2 === 0) return { ...place, end: tokenEnd(text, next) };
    } else if (closes(slashes, level)) {
      // A quote with fewer backslashes than the opening one also closes; its backslashes are left out.
      return { ...place, end: level > 0 ? next - Math.min(slashes, level) : tokenEnd(text, next) };
    }
  }
  return { ...place, end: text.length };
}

function closes(slashes: number, level: number): boolean {
  if (level === 0) return slashes % 2 === 0;
  return slashes <= level || (slashes - level) % (2 * (level + 1)) === 0;
}

function backslashesBefore(text: string, at: number, from: number): number {
  let count = 0;
  while (at - count > from && text.charCodeAt(at - count - 1) === 92) count++;
  return count;
}

const MAY_END_SIGNS = characterTable(/[,;&}\])|]/);
/** Matches punctuation that ends a value, together with the text that must follow. */
const MAY_END =
  /[,;&]+(?:\s|$|["'\\{}[\]()]|[A-Za-z_][\w.-]{0,60}["']?[ \t]{0,3}[=:])|[}\])|]+(?:$|[\s,;:}\])"'&])/y;
const ESCAPE_END = /\\+(?:["'`]|[nrt](?:$|["'\\\s}\]]|[A-Za-z_][\w.-]{0,60}["']?[ \t]{0,3}[=:]))/y;

/** Returns an unquoted value, up to the next blank or, with `wholeLine`, to the end of the line; `null` if empty. */
export function bareValue(text: string, start: number, wholeLine: boolean): Place | null {
  const place = { start, quoted: false, wholeLine };
  const masked = maskedEnd(text, start);
  if (masked >= 0) return { ...place, end: masked };
  if (wholeLine) {
    const end = wholeLineEnd(text, start);
    return end > start ? { ...place, end } : null;
  }
  let end = start;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === 34 || code === 39 || code === 96) {
      const further = end > start && /[\w$%&*+@#!^~-]/.test(text[end - 1]!) ? tokenEnd(text, end) : end;
      if (further === end) break;
      end = further - 1;
      continue;
    }
    if (code <= 32 || code === 60) break;
    const ending = code === 92 ? ESCAPE_END : MAY_END_SIGNS[code] === 1 ? MAY_END : null;
    if (ending && matchEnd(ending, text, end) >= 0) break;
  }
  // Skips a stand-in such as <none>: the loop ends at `<`, so the value is empty.
  if (end === start && text[start] === '<') return null;
  return end > start ? { ...place, end } : null;
}

function wholeLineEnd(text: string, start: number): number {
  let end = lineEnd(text, start);
  const comment = / #/.exec(text.slice(start, Math.min(end, start + 4096)));
  if (comment) end = start + comment.index;
  while (end > start && /[\s,]/.test(text[end - 1]!)) end--;
  return end;
}

/** Returns the lines of a block scalar, which are indented more than its key; `null` if there are none. */
export function blockValue(text: string, keyAt: number, contentAt: number): Place | null {
  const keyLine = text.lastIndexOf('\n', Math.max(0, keyAt - 1)) + 1;
  const indent = keyAt - keyLine;
  let start = -1;
  let end = -1;
  for (let line = contentAt; line < text.length; ) {
    const eol = lineEnd(text, line);
    let first = line;
    while (first < eol && (text[first] === ' ' || text[first] === '\t' || text[first] === '\r')) first++;
    if (first < eol) {
      if (first - line <= indent - (text[keyAt - 1] === '"' ? 1 : 0)) break;
      if (start < 0) start = first;
      end = text[eol - 1] === '\r' ? eol - 1 : eol;
    }
    line = eol + 1;
  }
  return start < 0 ? null : { start, end, quoted: true };
}
