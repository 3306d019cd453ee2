/** A named value in the text of an alert. */
export interface Member {
  /** Normalized name: `alert_name` and `alertName` are both `alertname`. */
  readonly name: string;
  /** Normalized name of the object around it; '' at the top level. */
  readonly within: string;
  readonly depth: number;
  readonly value: string;
}

const MAX_MEMBERS = 2_000;
const MAX_DEPTH = 8;

/** Maximum characters of a plain text that are read, and of each line. An alert's subject is near its beginning. */
export const MAX_TEXT = 20_000;
export const MAX_LINE = 2_000;

export function normalName(name: string): string {
  if (/^[a-z0-9]*$/.test(name)) return name;
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Returns the members of a JSON text or first line, including JSON inside strings; `null` if neither is JSON. */
export function jsonMembers(text: string): Member[] | null {
  const line = text.trimStart().split('\n', 1)[0]!;
  const value = parsed(text) ?? (line.length < text.length ? parsed(line) : undefined);
  if (value === undefined) return null;
  return [...collect(value, { name: '', within: '', depth: 0 }).take(MAX_MEMBERS)];
}

/** Returns true if the text is JSON, or looks like the beginning of JSON. */
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

function* collect(value: unknown, at: Omit<Member, 'value'>): Generator<Member, void> {
  const depth = at.depth + 1;
  if (at.depth > MAX_DEPTH || value === null || value === undefined) return;
  if (typeof value !== 'object') {
    const inner = typeof value === 'string' ? parsed(value) : undefined;
    if (inner !== undefined) yield* collect(inner, at);
    else yield { ...at, depth: at.depth - 1, value: String(value) };
    return;
  }
  if (Array.isArray(value)) {
    // Items of a list have the name of the list.
    for (const item of value) yield* collect(item, { ...at, depth });
    return;
  }
  const { name: called, key = called, value: said, ...rest } = value as Record<string, unknown>;
  // {"name": "host", "value": "db-03"} means {"host": "db-03"}
  const pair = typeof key === 'string' && said !== undefined && Object.keys(rest).length === 0;
  const entries = pair ? [[key, said] as const] : Object.entries(value);
  for (const [inner, item] of entries)
    yield* collect(item, { name: normalName(inner), within: at.name, depth });
}

const PAIR = /"((?:[^"\\\n]|\\.){1,100})"\s*:\s*(?:"((?:[^"\\]|\\.){0,2000})"|([\w.+-]+))/g;
const ASSIGNED = /(?<![\w.&?/])([A-Za-z_][\w.-]{0,60})=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+))/g;
const LINE =
  /^(\s*)(?:[-*+>•]\s+|\|\s*)*[*_`"']{0,3}([\p{L}_][\p{L}\p{N}_ ./-]{0,40}?)[*_`"']{0,3}\s*(?::[*_`]{0,2}(?=\s|$)|=|\|)[*_`]{0,2}\s*(.*)$/u;

/** Returns the members of text that is not JSON: pairs of truncated JSON, or else `key: value` and `key=value`. */
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
    const line = whole.slice(0, MAX_LINE);
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
