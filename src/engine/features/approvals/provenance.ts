import { matchesPattern } from '../../../config/tool-policy.ts';
import type { StoredOrigin } from '../../../db/entities/index.ts';
import type { ArgumentOrigin } from '../../../db/enums.ts';
import type { AgentContext } from '../../run-context/types.ts';

/** A text in which a value may stand. */
export interface Source {
  origin: Exclude<ArgumentOrigin, 'MODEL' | 'UNTRACED'>;
  /** Of a tool's result: its place in the session's timeline. */
  number: number | null;
  text: string;
  /** Strangers write it. */
  isUntrusted: boolean;
}

/** Values of one call that are looked for: of the others nobody knows. */
export const MAX_VALUES = 60;
/** UTF-16 code units of a value that is kept, and of the lines around it. */
const MAX_VALUE_UNITS = 500;
const MAX_LINES_UNITS = 600;
/** Shorter than this a value is found only where it stands by itself. */
const MIN_UNITS = 4;
/** … and of an encoded value, which stands in longer texts by chance. */
const MIN_ENCODED_UNITS = 6;

/** Whom to believe first, of several that say the same. */
const TRUST: readonly Source['origin'][] = ['PERSON', 'RUNBOOK', 'ALERT', 'TOOL_OUTPUT'];

/**
 * Tells of each value in a call's arguments where it stands: in the text of a person, the runbook, the alert or the result of a tool, as it
 * is, in other white space, or encoded (base64, percent, JSON); in parts, when all of its words stand in one line. What stands nowhere is of the model.
 * What is too much to be looked for, and what stands nowhere while there are more texts, is UNTRACED.
 * @param args masked
 * @param isAll whether there are no more texts
 */
export function originsOf(args: unknown, sources: readonly Source[], isAll = true): StoredOrigin[] {
  const ordered = sources.toSorted(
    (one, other) =>
      Number(one.isUntrusted) - Number(other.isUntrusted) ||
      TRUST.indexOf(one.origin) - TRUST.indexOf(other.origin) ||
      (one.number ?? 0) - (other.number ?? 0),
  );
  const folded = ordered.map((source) => ({ source, text: fold(source.text) }));
  const values = leaves(args);
  const traced = values.slice(0, MAX_VALUES).map(([path, value]) => {
    const found = originOf(path, value, folded);
    return found.origin === 'MODEL' && !isAll ? { ...found, origin: 'UNTRACED' as const } : found;
  });
  const [first] = values.slice(MAX_VALUES);
  return first === undefined ? traced : [...traced, untraced(first[0], values.length - MAX_VALUES)];
}

/** Stands for the values from this one on. */
function untraced(path: string, count: number): StoredOrigin {
  const value = count === 1 ? '1 more value' : `${count} more values`;
  return { path, value, origin: 'UNTRACED', number: null, lines: null, isUntrusted: false };
}

type Folded = { source: Source; text: string };

function originOf(path: string, value: string, sources: readonly Folded[]): StoredOrigin {
  const kept = { path, value: value.slice(0, MAX_VALUE_UNITS).toWellFormed() };
  const found = firstOf(sources, wholeForms(value)) ?? inParts(sources, value);
  if (found === null) return { ...kept, origin: 'MODEL', number: null, lines: null, isUntrusted: false };
  const { origin, number, isUntrusted } = found.source;
  return { ...kept, origin, number, lines: linesAround(found.text, found.at), isUntrusted };
}

/** Strings, numbers and truth values, each with its path; keys of objects are names of parameters mostly. */
function leaves(value: unknown, path = ''): [path: string, value: string][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return String(value).trim() === '' ? [] : [[path, String(value)]];
  return Object.entries(value).flatMap(([key, item]) => leaves(item, path === '' ? key : `${path}.${key}`));
}

/** The value as it may stand in a text, each with how short it may be to count anywhere. */
function wholeForms(value: string): { text: string; isEncoded: boolean }[] {
  const plain = fold(value).trim();
  const encoded = [
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
    Buffer.from(value).toString('base64url'),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    decoded(value),
  ].map((text) => fold(text).trim());
  const others = new Set(encoded.filter((text) => text !== plain && text.length >= MIN_ENCODED_UNITS));
  return [{ text: plain, isEncoded: false }, ...[...others].map((text) => ({ text, isEncoded: true }))];
}

/** What a value says that is itself encoded; empty when it is not. */
function decoded(value: string): string {
  try {
    if (/%[0-9a-f]{2}/i.test(value)) return decodeURIComponent(value);
  } catch {
    return '';
  }
  if (!/^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(value)) return '';
  const text = Buffer.from(value, 'base64').toString('utf8');
  return /^[\x20-\x7e\s]+$/.test(text) ? text : '';
}

interface Found {
  source: Source;
  text: string;
  at: number;
}

function firstOf(sources: readonly Folded[], forms: ReturnType<typeof wholeForms>): Found | null {
  for (const { source, text } of sources)
    for (const form of forms) {
      const at = form.text.length < MIN_UNITS ? byItself(text, form.text) : placeOf(text, form.text);
      if (at >= 0) return { source, text, at };
    }
  return null;
}

/** Where a text stands and is no part of a longer name; else where it stands at all, when it is no single name. */
function placeOf(text: string, value: string): number {
  const at = byItself(text, value);
  return at >= 0 || /^[\w.-]+$/.test(value) ? at : text.indexOf(value);
}

/** … and is no part of a longer name. @param edge what names go on with, before and behind */
function byItself(text: string, value: string, from = 0, edge = NAME_EDGE): number {
  if (value === '') return -1;
  for (let at = text.indexOf(value, from); at >= 0; at = text.indexOf(value, at + 1)) {
    const end = at + value.length;
    if (!edge.before.test(text.slice(Math.max(0, at - 2), at)) && !edge.behind.test(text.slice(end, end + 2)))
      return at;
  }
  return -1;
}

const NAME_EDGE = { before: /[\w-]$|\w\.$/, behind: /^\w|^[-.]\w/ };
const WORD_EDGE = { before: /\w$/, behind: /^\w/ };

/** A value whose words stand in one line of a source, apart from one another, as of a path that was put together. */
function inParts(sources: readonly Folded[], value: string): Found | null {
  const words = [...new Set(fold(value).split(/[^\p{L}\p{N}]+/u))].filter((word) => word.length >= MIN_UNITS);
  if (words.length < 2) return null;
  for (const { source, text } of sources) {
    const first = words[0]!;
    for (let at = byItself(text, first, 0, WORD_EDGE); at >= 0; ) {
      const [start, end] = lineAt(text, at);
      const line = text.slice(start, end);
      if (words.every((word) => byItself(line, word, 0, WORD_EDGE) >= 0)) return { source, text, at };
      at = byItself(text, first, end, WORD_EDGE);
    }
  }
  return null;
}

/** The line, and the one before and after it, cut around the value. */
function linesAround(text: string, at: number): string {
  const [start, end] = lineAt(text, at);
  const [before] = start > 0 ? lineAt(text, start - 1) : [start];
  const [, after] = end < text.length ? lineAt(text, end + 1) : [0, end];
  const whole = text.slice(before, after);
  if (whole.length <= MAX_LINES_UNITS) return whole.toWellFormed();
  const from = Math.max(0, at - MAX_LINES_UNITS / 2);
  return text.slice(from, from + MAX_LINES_UNITS).toWellFormed();
}

function lineAt(text: string, at: number): [start: number, end: number] {
  const end = text.indexOf('\n', at);
  return [text.lastIndexOf('\n', at - 1) + 1, end < 0 ? text.length : end];
}

/** Made equal: compatibility forms, invisible characters, runs of blanks; lines stay. */
function fold(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u2060\ufeff\u00ad]/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+/g, ' ');
}

/** Results that are looked through, the newest first. */
const MAX_OUTPUTS = 300;

export interface Sources {
  texts: Source[];
  /** There are no more. */
  isAll: boolean;
}

/** The texts in which a value of a call may stand, as they are stored. */
export async function readSources({ db, session, runbook, config }: AgentContext): Promise<Sources> {
  const isUntrusted = (server: string, tool: string) =>
    config.mcpServers[server]?.untrustedTools.some((pattern) => matchesPattern(tool, pattern)) ?? false;
  const outputs = await db.query<{ number: number; server: string; tool: string; text: string }>(
    `select t.sequence_number as number, m.server_name as server, coalesce(m.tool_name, '') as tool,
       coalesce(m.result->>'content', '') as text
     from mcp_interactions m join timeline_events t on t.execution_id = m.execution_id
       and t.type = 'LLM_TOOL_CALL' and t.metadata->>'tool_call_id' = m.tool_call_id
     where m.session_id = $1 and m.type = 'TOOL_CALL' order by t.sequence_number desc limit ${MAX_OUTPUTS + 1}`,
    [session.id],
  );
  const questions = await db.query<{ content: string }>(
    'select q.content from chat_user_messages q join chats c on c.id = q.chat_id where c.session_id = $1',
    [session.id],
  );
  const said = { number: null, isUntrusted: false };
  const texts: Source[] = [
    ...questions.rows.map(({ content }): Source => ({ ...said, origin: 'PERSON', text: content })),
    { ...said, origin: 'RUNBOOK', text: runbook.content ?? '' },
    { ...said, origin: 'ALERT', text: session.alertData },
    ...outputs.rows.slice(0, MAX_OUTPUTS).map(
      ({ number, server, tool, text }): Source => ({
        origin: 'TOOL_OUTPUT',
        number,
        text,
        isUntrusted: isUntrusted(server, tool),
      }),
    ),
  ];
  return { texts, isAll: outputs.rows.length <= MAX_OUTPUTS };
}
