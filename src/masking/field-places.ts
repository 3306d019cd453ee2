import type { FieldName } from './field-names.ts';
import { BLOCK, siblingValue, xmlValue } from './field-siblings.ts';
import { matchEnd, skipBlanks } from './text.ts';
import { bareValue, blockValue, type Place, quotedValue, unwrapped } from './value-places.ts';

/** Matches blanks up to a limit that is wider than the usual alignment of columns. */
const BLANKS = '[ \\t]{0,80}';

/** Matches the text between a name and its separator: quote, bracket, Markdown marks, dots that lead to the value. */
const CLOSING = `\\\\{0,15}["'\`]?(?::(?:private|protected|"[\\w\\\\]{1,60}":private))?[\\]})]?(?:\\[["'][\\w.-]{1,40}["']\\])?\\*{0,2}(?:\\.{3,80}(?=")|${BLANKS}(?:(?:\\d{1,2}|\\[None\\]) ?)?`;
const AFTER_NAME = new RegExp(
  `${CLOSING}(?:=>|:{1,2}=|\\?=|->(?=["']|\\S{0,40}\\d)|={1,3}(?![~=])|:(?!//|:)|::(?=[ \\t])))\\*{0,2}`,
  'y',
);
const FLAG_GAP =
  /\\{0,15}["']?(?:[ \t]{1,8}|,[ \t\n]{0,40}(?=\\{0,15}["'])|\n[ \t]{0,80}-[ \t]{1,8}|\n[ \t]{2,80}(?=[^\s:]{2,200}[ \t]{0,8}(?:\n|$)))(?![-\s])/y;
/** Matches from a name to its value, in an entry of a config map that `kubectl describe` prints. */
const EOL_THEN_RULE = /\r?\n-{4}\r?\n(?=\S)/y;
const EOL_THEN_QUOTE = /[ \t]{0,80}\r?\n[ \t]{0,200}(?=["'])/y;
const EOL_THEN_DEEPER = /[ \t]{0,80}(?:#[^\n]{0,200})?\r?\n([ \t]{1,200})(?=[^\s#-])/y;
/**
 * Matches from a name to the value of a `value` entry in the mapping below it, after at most two other
 * entries.
 */
const VALUE_BELOW =
  /[ \t]{0,80}\r?\n([ \t]{1,200})(?:\w{1,40}:[ \t][^\n]{1,200}\n\1){0,2}(?:value|plaintext)[ \t]{0,8}:[ \t]{1,80}(?=[^\s#|>])/y;
const PROPERTIES = /(?:[ \t]{0,80}(?:!![a-z]{1,20}|![A-Za-z][\w/:.-]{0,60}|&[\w-]{1,60})(?=[ \t\r\n]))+/y;
const SCHEME = /(?:Bearer|Basic|Token|Digest|ApiKey|Negotiate|AWS4-HMAC-SHA256)[ \t]{1,4}(?=\S)/iy;
const STRING_PREFIX = /(?:[bruf]{1,2}|@|\$)(?=["'])/iy;
/** Matches a wrapper around an escape. The value inside is read later, when escapes are resolved. */
const WRAPPED_ESCAPE =
  /(?:(?:[\w.:]{0,60}[({]\s{0,80}){1,4}(?:\w{1,20}[:=]\s{0,4})?[bruf]{0,2}|\w{1,60} \{ \w{1,20}: |)(?:\\+[nrt"']|&(?:quot|apos|#\d+|#x\w+);|[^ -~\s\u0080-\uffff]|$)/y;
/** Matches the rest of a line from a bracketed value without quotes: `abc)`, `abc, scope=x)`, `abc Valid:true}`. */
const BRACKETED = /[^\s"'`()[\]{}<>,;]{1,2000}/y;
/** Matches from a name in an element to the element with its value: `</name><value>`, `</key>⏎<string>`, `</td><td>`. */
const NEXT_ELEMENT =
  /["'\]]{0,2}\s{0,4}<\/(?:[\w-]{0,20}name|key|td|th|dt|b|code)>\s{0,80}<(?:(?:[\w-]{0,20}value|string|dd)|td[^<>\n]{0,80})>/iy;
const ATTRIBUTE = /[ \t]{1,8}(?:value|content|clear-text)=(?=["'])/y;
/** Matches a value in braces in the settings of a database's driver. */
const BRACED = /\{[^{}\s:"'$]{2,100}\}(?=;|$)/y;
/** Matches a quoted value that fills the line after a directive's name. */
const DIRECTIVE = /[ \t]{1,20}(?:"[^"\n]{4,200}"|'[^'\n]{4,200}');?[ \t]{0,9}(?:\n|$)/y;
const IN_ELEMENT = /[ \t][^<>\n]{0,200}(?<![-=/])>/y;
const NEXT_ARGUMENT = /\\{0,15}["']?,[ \t]{0,24}(?=\\{0,15}["'\w<(])/y;
/** Matches up to the next entry of a list printed by Redis, or of an array serialized by PHP. */
const NEXT_ENTRY = /"(?:\r?\n[ \t]{0,20}\d{1,6}\) |;s:\d{1,6}:)(?=")/y;
const FIRST_ARGUMENT = /[({][ \t]{0,8}\\{0,15}["']?[\w.]{0,60}$/;
/** Matches the prefix of a string in a PHP dump, such as `string(8) `. */
const LENGTH = /(?:[ \t]{0,20}\n)?[ \t]{0,40}string\(\d{1,9}\) (?=")/y;
const AFTER_CHECKSUM = /(?<=(?:checksum|hash|digest)\/)/iy;
const CHANGED_TO = /["'] -> (?=["'])/y;
const NESTED_VALUE =
  /\{[^{}]{0,300}?(?<![A-Za-z])\\{0,15}["']?(?:value|string|s|n|b|plaintext|default|secret|inline_string)\\{0,15}["']?[ \t]{0,8}[:=][ \t]{0,8}(?=\\{0,15}["']|[^\s"'{}[\],]{8,200}[ }])/iy;

/** Returns the values of the name at [start, end); usually one or none. */
export function valuesOf(text: string, start: number, end: number, name: FieldName): Place[] {
  // A commit's scope, as in `fix(auth): …`, or a check for an unset variable, as in `${DB_PASSWORD:?missing}`.
  if (text[start - 1] === '(' && /^\)!?:/.test(text.slice(end, end + 3))) return [];
  if (text.startsWith('${', start - 2) && /^:?[?+]/.test(text.slice(end, end + 2))) return [];
  if (matchEnd(AFTER_CHECKSUM, text, start) >= 0) return [];
  const named = siblingValue(text, start, end);
  if (named) return [{ ...named, setting: true }];
  if (text[end] === '>' && (text[start - 1] === '<' || text[start - 1] === ':'))
    return xmlValue(text, end + 1);
  if (text[end] === ' ' && text[start - 1] === '<') {
    const attribute = matchEnd(ATTRIBUTE, text, end);
    if (attribute >= 0) return one(quotedValue(text, attribute));
  }
  const element = '<]"\' '.includes(text[end] ?? '\n') ? matchEnd(NEXT_ELEMENT, text, end) : -1;
  if (element >= 0) return xmlValue(text, element);
  if (text[end] === ' ' && /<(?:[\w-]{1,40}:)?$/.test(text.slice(Math.max(0, start - 42), start))) {
    const inside = matchEnd(IN_ELEMENT, text, end);
    if (inside >= 0) return xmlValue(text, inside);
  }
  // Without a separator, only the value of a flag (`--password`) may be on the next line.
  if (text.charCodeAt(end) === 10 && text[start] !== '-') return [];
  const next = text[end] === ',' || text[end + 1] === ',' ? nextArgument(text, start, end) : -1;
  const following = next < 0 && text[end] === '"' ? matchEnd(NEXT_ENTRY, text, end) : next;
  if (following >= 0) {
    const inside = unwrapped(text, following);
    return one(inside < 0 ? quotedValue(text, following) : wrappedValue(text, inside));
  }
  const constructed =
    (text[end] === '(' || text.startsWith(' {', end)) && /[A-Z]/.test(text[start]!)
      ? unwrapped(text, start)
      : -1;
  const wrapped = constructed > end ? wrappedValue(text, constructed) : null;
  if (wrapped) return [wrapped];
  const separated = matchEnd(AFTER_NAME, text, end);
  if (separated >= 0) return withChange(text, separatedValues(text, start, separated, name));
  const block = text[start - 1] === '"' ? matchEnd(/" (?=\{)/y, text, end) : -1;
  if (block >= 0) return nestedValue(text, block);
  const isDirective = startsLine(text, start) && matchEnd(DIRECTIVE, text, end) >= 0;
  if ((text[start] !== '-' && !isInstruction(text, start) && !isDirective) || name.plural) return [];
  const gap = matchEnd(FLAG_GAP, text, end);
  if (gap < 0) return [];
  const inside = unwrapped(text, gap);
  return one(
    (inside < 0 ? quotedValue(text, gap) : wrappedValue(text, inside)) ?? bareValue(text, gap, false),
  );
}

/** Characters before a name that mark a setting: quotes, and separators of URL queries and lists of settings. */
const BEFORE_SETTING = new Set(['"', "'", '`', '?', '&', ';', ':']);

/** True if a name is part of a setting, not of a sentence such as `unexpected token: identifier`. */
export function isSetting(text: string, start: number, end: number): boolean {
  const before = text[start - 1] ?? '\n';
  if (before === '/') return text[end] === '=';
  if (text[start] === '-' || BEFORE_SETTING.has(before) || startsLine(text, start)) return true;
  if (
    /[\s{,]/.test(before) &&
    text[end] === ':' &&
    /[{,]\s{0,8}$/.test(text.slice(Math.max(0, start - 9), start))
  )
    return true;
  if (isInstruction(text, start) || text.startsWith('\\n', start - 2)) return true;
  return /\s/.test(before) && text[end] === '=' && /[^\s=~]/.test(text[end + 1] ?? ' ');
}

/**
 * True if a name follows a command that sets a variable, such as `ENV` or `export`, at the start of a line.
 */
function isInstruction(text: string, start: number): boolean {
  const code = text.charCodeAt(start - 1);
  return (
    (code === 32 || code === 9) &&
    /(?:^|\n)[ \t]{0,8}(?:ENV|export|SetEnv|setenv|set -\w{1,4})[ \t]{1,8}$/.test(
      text.slice(Math.max(0, start - 26), start),
    )
  );
}

function nextArgument(text: string, start: number, end: number): number {
  return FIRST_ARGUMENT.test(text.slice(Math.max(0, start - 80), start))
    ? matchEnd(NEXT_ARGUMENT, text, end)
    : -1;
}

function withChange(text: string, places: Place[]): Place[] {
  const changed = places.length === 1 && places[0]!.quoted ? matchEnd(CHANGED_TO, text, places[0]!.end) : -1;
  return changed < 0 ? places : [...places, ...one(quotedValue(text, changed))];
}

function one(place: Place | null): Place[] {
  return place === null ? [] : [place];
}

function separatedValues(text: string, start: number, afterSeparator: number, name: FieldName): Place[] {
  const colon = text[afterSeparator - 1] === ':';
  // A name that a string of JSON starts with, such as `"token: …"`.
  const inString =
    text[start - 1] === '"' && text[afterSeparator] === ' ' && /[\w-]/.test(text[afterSeparator - 2]!);
  const lineKey =
    colon && (startsLine(text, start) || inString || /cookie$/i.test(text.slice(start, afterSeparator - 1)));
  let at = skipBlanks(text, afterSeparator);
  const sign = text[at];
  const dumped = sign === 's' || sign === '\n' ? matchEnd(LENGTH, text, at) : -1;
  if (dumped >= 0) at = dumped;
  const properties = sign === '!' || sign === '&' ? matchEnd(PROPERTIES, text, at) : -1;
  if (properties >= 0) at = skipBlanks(text, properties);
  const block = lineKey ? matchEnd(BLOCK, text, at) : -1;
  if (block >= 0) return one(blockValue(text, start, block));
  if (text[at] === '\n' || text[at] === '\r' || text[at] === '#') at = nextLine(text, start, at, lineKey);
  if (at < 0 || at >= text.length) return [];
  const scheme = matchEnd(SCHEME, text, at);
  if (scheme >= 0) at = scheme;
  const prefixed = matchEnd(STRING_PREFIX, text, at);
  if (prefixed >= 0) at = prefixed;
  if (text[at] === '[' && !text.startsWith('[MASKED_', at)) return listValues(text, at);
  if (name.plural) return [];
  const braced = text[at] === '{' ? matchEnd(BRACED, text, at) : -1;
  if (braced >= 0) return [{ start: at + 1, end: braced - 1, quoted: true }];
  if (text[at] === '{') return nestedValue(text, at);
  const inside = unwrapped(text, at);
  if (inside >= 0) {
    const wrapped = wrappedValue(text, inside);
    if (wrapped) return [wrapped];
    if (text[inside] === '<' || text[inside] === '[') return []; // a stand-in, or a list of other fields
  }
  const quoted = afterScheme(quotedValue(text, at), text);
  if (quoted) return [quoted];
  if (matchEnd(WRAPPED_ESCAPE, text, at) >= 0) return [];
  const place = bareValue(text, at, lineKey && (inString || text[start - 1] !== '"'));
  if (place && inString) place.end = Math.max(place.start, firstQuote(text, place));
  const code = !colon && text[afterSeparator] === ' ';
  return place ? [{ ...place, code, scheme: scheme >= 0 }] : [];
}

function firstQuote(text: string, { start, end }: Place): number {
  const quote = text.slice(start, end).indexOf('"');
  return quote < 0 ? end : start + quote;
}

/** Returns the value inside wrappers: a quoted text, or a bare one up to the bracket, comma or blank after it. */
function wrappedValue(text: string, at: number): Place | null {
  const quoted = quotedValue(text, at);
  if (quoted) return { ...quoted, setting: true };
  const end = matchEnd(BRACKETED, text, at);
  if (end < 0 || !/[)\],} \n]/.test(text[end] ?? '') || text.startsWith('[MASKED_', at)) return null;
  // A word is an expression of code, not a value.
  const isWord = /^[A-Za-z_.]+[:=]?$/.test(text.slice(at, end));
  return isWord || text[end] === '(' ? null : { start: at, end, quoted: true, setting: true };
}

function afterScheme(place: Place | null, text: string): Place | null {
  if (!place) return null;
  const scheme = matchEnd(SCHEME, text, place.start);
  return scheme >= 0 && scheme < place.end ? { ...place, start: scheme, scheme: true } : place;
}

/** Returns the start of a value on the line after its name, or -1. */
function nextLine(text: string, start: number, at: number, lineKey: boolean): number {
  const ruled = matchEnd(EOL_THEN_RULE, text, at);
  if (ruled >= 0) return ruled;
  const quoted = matchEnd(EOL_THEN_QUOTE, text, at);
  if (quoted >= 0 && text[start - 1] === '"') return quoted;
  if (!lineKey) return -1;
  EOL_THEN_DEEPER.lastIndex = at;
  const deeper = EOL_THEN_DEEPER.exec(text);
  if (!deeper || deeper[1]!.length <= start - lineStart(text, start)) return -1;
  const below = matchEnd(VALUE_BELOW, text, at);
  if (below >= 0) return below;
  const valueAt = EOL_THEN_DEEPER.lastIndex;
  // A mapping below the name is no value; the names in the mapping are checked one by one.
  return /^["']?[\w./-]{1,80}["']?[ \t]{0,8}:(?:\s|$)/.test(text.slice(valueAt, valueAt + 100))
    ? -1
    : valueAt;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', Math.max(0, at - 1)) + 1;
}

/** True if only indentation, list dashes and a quote precede a name on its line. */
function startsLine(text: string, start: number): boolean {
  for (let at = start - 1; at >= 0 && at > start - 300; at--) {
    const char = text[at]!;
    if (char === '\n') return true;
    if (
      char !== ' ' &&
      char !== '\t' &&
      char !== '-' &&
      !((char === '"' || char === "'") && at === start - 1)
    )
      return false;
  }
  return start < 300;
}

function nestedValue(text: string, at: number): Place[] {
  if (text[at + 1] === '{') return [];
  const value = matchEnd(NESTED_VALUE, text, at);
  return value < 0 ? [] : one(wrappedValue(text, value));
}

/** Returns the quoted entries of a flat list, at most 1000. */
function listValues(text: string, at: number): Place[] {
  const places: Place[] = [];
  for (let next = at + 1; places.length < 1000; ) {
    next = matchEnd(/[\s,]{0,200}/y, text, next);
    const place = quotedValue(text, next);
    if (!place) break;
    places.push(place);
    next = matchEnd(/\\{0,15}["']/y, text, place.end);
    if (next < 0) break;
  }
  return places;
}
