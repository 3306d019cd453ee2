/** A named value of an alert's text, wherever it stands. */
export interface Member {
  /** In lower case, without what parts its words: `alert_name` and `alertName` are one name. */
  readonly name: string;
  /** Of what it stands in, likewise; '' at the top. */
  readonly within: string;
  readonly depth: number;
  readonly value: string;
}

/** What tells what an alert is about stands at its beginning: so many members are looked at, and so deep. */
const MAX_MEMBERS = 2_000;
const MAX_DEPTH = 8;

/** Characters of a text without a form that are looked at. */
export const LOOKED_AT = 20_000;

/** … and of each of its lines. */
export const LINE_LOOKED_AT = 2_000;

export function normalName(name: string): string {
  if (/^[a-z0-9]*$/.test(name)) return name;
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The members of JSON, also of JSON in its texts; null when the text is none, whole or in its first line. */
export function jsonMembers(text: string): Member[] | null {
  const line = text.trimStart().split('\n', 1)[0]!;
  const value = parsed(text) ?? (line.length < text.length ? parsed(line) : undefined);
  if (value === undefined) return null;
  const members: Member[] = [];
  collect(value, '', '', 0, members);
  return members;
}

/** Whether a text is JSON, or the beginning of some: nothing that a person reads as a sentence. */
export function isJson(text: string): boolean {
  return parsed(text) !== undefined || /^\s*(?:\{\s*"[^"]*"\s*:|\[\s*[{["])/.test(text);
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function collect(value: unknown, name: string, within: string, depth: number, into: Member[]): void {
  if (into.length >= MAX_MEMBERS || depth > MAX_DEPTH || value === null || value === undefined) return;
  if (typeof value !== 'object') {
    const inner = typeof value === 'string' ? parsed(value) : undefined;
    if (inner !== undefined) collect(inner, name, within, depth, into);
    else into.push({ name, within, depth: depth - 1, value: String(value) });
    return;
  }
  if (Array.isArray(value)) {
    // Of a list the name is its own: what stands in it is one of those.
    for (const item of value) collect(item, name, within, depth + 1, into);
    return;
  }
  const { name: called, key = called, value: said, ...rest } = value as Record<string, unknown>;
  // {"name": "host", "value": "db-03"} says the same as {"host": "db-03"}
  const pair = typeof key === 'string' && said !== undefined && Object.keys(rest).length === 0;
  const entries = pair ? [[key, said] as const] : Object.entries(value);
  for (const [inner, item] of entries) collect(item, normalName(inner), name, depth + 1, into);
}

const PAIR = /"((?:[^"\\\n]|\\.){1,100})"\s*:\s*(?:"((?:[^"\\]|\\.){0,2000})"|([\w.+-]+))/g;
const ASSIGNED = /(?<![\w.&?/])([A-Za-z_][\w.-]{0,60})=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+))/g;
const LINE =
  /^(\s*)(?:[-*+>•]\s+|\|\s*)*[*_`"']{0,3}([\p{L}_][\p{L}\p{N}_ ./-]{0,40}?)[*_`"']{0,3}\s*(?::[*_`]{0,2}(?=\s|$)|=|\|)[*_`]{0,2}\s*(.*)$/u;

/** The members of text that is no JSON: pairs of JSON that is broken off, `key: value` lines, and `key=value` in lines. */
export function lineMembers(text: string): Member[] {
  const members: Member[] = [];
  const add = (name: string, value: string, depth: number) => {
    const bare = unquoted(value);
    if (bare !== '' && members.length < MAX_MEMBERS)
      members.push({ name: normalName(name), within: '', depth, value: bare });
  };
  if (/^\s*[[{]/.test(text))
    for (const [, key, quoted, plain] of text.matchAll(PAIR)) add(key!, quoted ?? plain!, 0);
  if (members.length > 0) return members;
  for (const whole of text.split('\n')) {
    const line = whole.slice(0, LINE_LOOKED_AT);
    const [, indent = '', name, value = ''] = LINE.exec(line) ?? [];
    if (name !== undefined) add(name, value, Math.min(MAX_DEPTH, indent.length >> 1));
    for (const [, key, quoted, plain] of line.matchAll(ASSIGNED)) add(key!, quoted ?? plain!, 0);
  }
  return members;
}

function unquoted(value: string): string {
  const bare = value.replace(/[\s|]+$/, '').trim();
  return /^(["'`]).*\1$/.test(bare) ? bare.slice(1, -1) : bare.replace(/^[*_`]+|[*_`]+$/g, '');
}
