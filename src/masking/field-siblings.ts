import { matchEnd } from './text.ts';
import { bareValue, blockValue, type Place, quotedValue } from './value-places.ts';

const LONGEST_XML = 4096;
const SIBLING_JSON =
  /\\{0,15}["'],?[ \t\r\n]{0,80}(?:\\[nrt]){0,4}[ \t]{0,40}(?:"\w{1,40}"[ \t]{0,8}:[ \t]{0,8}(?:"[^"\n]{0,100}"|[\w.+-]{1,30}|\{[^{}]{0,200}\}|\[[^[\]]{0,200}\]),\s{0,80}){0,3}\\{0,15}["'](?:\w{0,20}value|content)\\{0,15}["'][ \t]{0,8}[:=][ \t]{0,8}(?=\\{0,15}["'])/iy;
/** Matches from a name in an XML attribute to the value: in the attribute `value`, or in the element. */
const SIBLING_XML = /["'](?:[^<>\n]{0,200}?\svalue=(?=["'])|[^<>\n]{0,100}(?<!\/)>)/iy;
/** Matches from a name to the `value` field beside it: in YAML, or after blanks in the output of Go and protobuf. */
const SIBLING_PLAIN =
  /["']?(?:[ \t]{0,8}(?:,[ \t]{0,8}|(?:\r?\n[ \t]{0,200}(?!name:|key:)\w{1,40}:[ \t][^\n]{1,100}){0,3}?\r?\n[+-]?[ \t]{0,200})["']?\w{0,20}value["']?[ \t]{0,8}:[ \t]{0,80}(?=\S)|[ \t]{1,8}value:(?:[ \t]{0,8}(?=["'])|(?=\S)))/iy;
/** Matches the value before its name in one entry: `value: x` above `name: DB_PASSWORD`, `{"value":"x","name":"…`. */
const VALUE_BEFORE =
  /(?:^|[\s{,-])["']?\w{0,20}value["']?[ \t]{0,8}:[ \t]{0,8}(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|([^\s"'{},[\]|>][^\n,{}]{0,200}?))[ \t]{0,8}(?:,\s{0,80}|\n[ \t]{1,80})["']?\w{0,20}(?:name|key|field|id|variable)["']?[ \t]{0,8}:[ \t]{0,8}["']?$/i;
/** Matches the rest of a value that contains blanks or commas in an environment entry printed by Go. */
const TO_VALUE_FROM = /[^\n{}]{0,200}?(?=[ ,]ValueFrom:)/y;
const NAMED_BY =
  /(?:^|[\s{,"'\\-])\w{0,20}(?:name|key|field|id|variable|env|type)\\{0,15}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,15}["']?\/?(?:[\w-]{1,40}\/){0,5}$/i;
/** Matches up to the text in an element that holds only a value: `<value>`, `<string>`. */
const XML_INSIDE = /(?:\s{0,80}<(?:\w{1,20}-)?(?:value|string)>)?/y;
export const BLOCK = /[|>][+-]?\d?[+-]?[ \t]{0,80}(?:#[^\n]{0,200})?\r?\n/y;
/** The last two letters of the words in NAMED_BY, for a quick check. */
const NAMING_ENDS = new Set(['me', 'ey', 'id', 'le', 'nv', 'ld', 'pe']);
const isQuoting = (code: number): boolean => code === 34 || code === 39 || code === 92;
const isBlank = (code: number): boolean => code === 32 || code === 9;

/** Returns the value of an environment entry or parameter, as in `name: DB_PASSWORD` beside `value: …`; else `null`. */
export function siblingValue(text: string, start: number, end: number): Place | null {
  if (!mayBeNamed(text, start) || !NAMED_BY.test(text.slice(Math.max(0, start - 120), start))) return null;
  const json = matchEnd(SIBLING_JSON, text, end);
  if (json >= 0) return quotedValue(text, json);
  const xml = matchEnd(SIBLING_XML, text, end);
  if (xml >= 0) return text[xml - 1] === '=' ? quotedValue(text, xml) : (xmlValue(text, xml)[0] ?? null);
  const plain = matchEnd(SIBLING_PLAIN, text, end);
  if (plain < 0) return valueBefore(text, start);
  const block = matchEnd(BLOCK, text, plain);
  if (block >= 0) return blockValue(text, text.lastIndexOf('value', plain), block);
  const place = quotedValue(text, plain) ?? bareValue(text, plain, text.slice(end, plain).includes('\n'));
  const further = place && !place.quoted ? matchEnd(TO_VALUE_FROM, text, place.end) : -1;
  return place && further > place.end ? { ...place, end: further } : place;
}

function valueBefore(text: string, start: number): Place | null {
  const near = text.slice(Math.max(0, start - 300), start);
  const match = VALUE_BEFORE.exec(
    near.slice(near.lastIndexOf('{') + 1).replace(/^[^\n]*\n(?=[^\n]*\n[^\n]*\n)/, ''),
  );
  const value = match && (match[1] ?? match[2] ?? match[3]!);
  if (!value) return null;
  const from = start - match[0].length + match[0].indexOf(value, match[0].indexOf(':'));
  return { start: from, end: from + value.length, quoted: true };
}

/** Quick check for NAMED_BY: true if a name may be the value of a field such as `name` or `key`, or within a path. */
function mayBeNamed(text: string, start: number): boolean {
  let at = start - 1;
  if (text.charCodeAt(at) === 47) return true; // /
  while (at > start - 40 && isQuoting(text.charCodeAt(at))) at--;
  while (at > start - 40 && isBlank(text.charCodeAt(at))) at--;
  const sign = text.charCodeAt(at);
  if (sign !== 58 && sign !== 61) return false; // : =
  do at--;
  while (at > start - 60 && (isQuoting(text.charCodeAt(at)) || isBlank(text.charCodeAt(at))));
  return NAMING_ENDS.has(text.slice(at - 1, at + 1).toLowerCase());
}

export function xmlValue(text: string, from: number): Place[] {
  const at = matchEnd(XML_INSIDE, text, from);
  const inCdata = text.startsWith('<![CDATA[', at);
  if (inCdata) {
    const close = text.slice(at, at + LONGEST_XML).indexOf(']]>');
    return close < 0 ? [] : [{ start: at + 9, end: at + close, quoted: true }];
  }
  const length = text.slice(at, at + LONGEST_XML).indexOf('<');
  return length < 0 ? [] : [{ start: at, end: at + length, quoted: true }];
}
