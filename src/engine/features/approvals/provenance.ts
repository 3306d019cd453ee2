import { matchesPattern } from '../../../config/tool-policy.ts';
import type { StoredOrigin } from '../../../db/entities/index.ts';
import type { ArgumentOrigin } from '../../../db/enums.ts';
import { prepared } from '../../../db/prepared.ts';
import type { AgentContext } from '../../run-context/types.ts';
import { BUILTIN_SERVER } from '../tool-outputs/tools.ts';

/** A text from which a model may have taken a value. */
export interface Source {
  origin: Exclude<ArgumentOrigin, 'MODEL' | 'UNTRACED'>;
  /** Sequence number of the tool call; `null` if the text is no tool result. */
  number: number | null;
  text: string;
  /** True if the operator marked the tool as untrusted, because outsiders can write into its results. */
  isUntrusted: boolean;
}

/** Maximum number of argument values of a call whose origin is searched; further values are UNTRACED. */
export const MAX_VALUES = 60;
/** Maximum stored lengths (UTF-16 code units) of a value, and of the lines around its occurrence. */
const MAX_VALUE_UNITS = 500;
const MAX_LINES_UNITS = 600;
/** Values shorter than this (UTF-16 code units) match only whole names. */
const MIN_UNITS = 4;
/**
 * Encoded forms shorter than this (UTF-16 code units) are not searched, because texts contain them by chance.
 */
const MIN_ENCODED_UNITS = 6;

/** Origins in the order of preference if several contain a value. */
const TRUST: readonly Source['origin'][] = ['PERSON', 'RUNBOOK', 'ALERT', 'TOOL_OUTPUT'];

/**
 * Returns the origin of each value in masked arguments: the most trusted source that contains the value
 * plain, encoded, or with all its words in one line. A value without a source comes from the MODEL.
 * @param isAll false if `sources` lacks some tool results; a value without a source is then UNTRACED
 */
export function originsOf(args: unknown, sources: readonly Source[], isAll = true): StoredOrigin[] {
  const ordered = sources.toSorted(
    (one, other) =>
      Number(one.isUntrusted) - Number(other.isUntrusted) ||
      TRUST.indexOf(one.origin) - TRUST.indexOf(other.origin) ||
      (one.number ?? 0) - (other.number ?? 0),
  );
  const folded = ordered.map((source) => {
    const text = fold(source.text);
    return { source, text, lower: lowerCase(text) };
  });
  const values = leaves(args);
  const traced = values.slice(0, MAX_VALUES).map(([path, value]) => {
    const found = originOf(path, value, folded);
    return found.origin === 'MODEL' && !isAll ? { ...found, origin: 'UNTRACED' as const } : found;
  });
  const [first] = values.slice(MAX_VALUES);
  if (first === undefined) return traced;
  const count = values.length - MAX_VALUES;
  const value = count === 1 ? '1 more value' : `${count} more values`;
  return [
    ...traced,
    { path: first[0], value, origin: 'UNTRACED', number: null, lines: null, isUntrusted: false },
  ];
}

/** A source with its folded text, and the same text in lower case, in which values are searched. */
type Folded = { source: Source; text: string; lower: string };

function originOf(path: string, value: string, sources: readonly Folded[]): StoredOrigin {
  const kept = { path, value: value.slice(0, MAX_VALUE_UNITS).toWellFormed() };
  const found = findWhole(sources, wholeForms(value)) ?? findInParts(sources, value);
  if (found === null) return { ...kept, origin: 'MODEL', number: null, lines: null, isUntrusted: false };
  const { origin, number, isUntrusted } = found.source;
  return { ...kept, origin, number, lines: linesAround(found.text, found.at), isUntrusted };
}

function leaves(value: unknown, path = ''): [path: string, value: string][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return String(value).trim() === '' ? [] : [[path, String(value)]];
  return Object.entries(value).flatMap(([key, item]) => leaves(item, path === '' ? key : `${path}.${key}`));
}

function wholeForms(value: string): string[] {
  const plain = lowerCase(fold(value)).trim();
  const encoded = [
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
    Buffer.from(value).toString('base64url'),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    decoded(value),
  ].map((text) => lowerCase(fold(text)).trim());
  return [...new Set([plain, ...encoded.filter((text) => text.length >= MIN_ENCODED_UNITS)])];
}

/** Decodes a base64 or URL-encoded value; '' if it is neither. */
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

type Found = Folded & { at: number };

function findWhole(sources: readonly Folded[], forms: readonly string[]): Found | null {
  for (const folded of sources)
    for (const form of forms) {
      const at = indexOfForm(folded.lower, form);
      if (at >= 0) return { ...folded, at };
    }
  return null;
}

/**
 * Returns the index of the value, if possible where it is a whole name. A value that is a single name never
 * matches inside a longer name.
 */
function indexOfForm(text: string, value: string): number {
  const at = indexOfName(text, value);
  const isNameOnly = value.length < MIN_UNITS || /^[\w.-]+$/.test(value);
  return at >= 0 || isNameOnly ? at : text.indexOf(value);
}

/** Returns the first index where the value is not part of a longer name; -1 if there is none. */
function indexOfName(text: string, value: string, from = 0, edge = NAME_EDGE): number {
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

/** Finds a line that contains all words of a value that the model may have composed, such as a path. */
function findInParts(sources: readonly Folded[], value: string): Found | null {
  const words = [...new Set(lowerCase(fold(value)).split(/[^\p{L}\p{N}]+/u))].filter(
    (word) => word.length >= MIN_UNITS,
  );
  if (words.length < 2) return null;
  for (const folded of sources) {
    const { lower } = folded;
    const first = words[0]!;
    for (let at = indexOfName(lower, first, 0, WORD_EDGE); at >= 0; ) {
      const [start, end] = lineAt(lower, at);
      const line = lower.slice(start, end);
      if (words.every((word) => indexOfName(line, word, 0, WORD_EDGE) >= 0)) return { ...folded, at };
      at = indexOfName(lower, first, end, WORD_EDGE);
    }
  }
  return null;
}

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

/**
 * Normalizes Unicode compatibility forms, drops invisible characters and collapses blanks. Keeps line breaks.
 */
function fold(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+/g, ' ');
}

/** Returns the text in lower case, with each character at its place. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return text.replace(/\p{Lu}/gu, (letter) => {
    const small = letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  });
}

/** Maximum number of tool results that are searched, newest first. */
const MAX_OUTPUTS = 300;

export interface Sources {
  texts: Source[];
  /** False if the session has more tool results than were read. */
  isAll: boolean;
}

/**
 * Reads the texts from which values of a call may come. Results that only repeat other texts are none: those of TARSy's own
 * tools, errors and summaries of trusted tools. They would make an untrusted value trusted. The summary of an untrusted
 * result is as untrusted as the result.
 */
export async function readSources({ db, session, alert, config }: AgentContext): Promise<Sources> {
  const isUntrusted = (server: string, tool: string) =>
    config.mcpServers[server]?.untrustedTools.some((pattern) => matchesPattern(tool, pattern)) ?? false;
  const outputs = await db.query<{
    number: number;
    server: string;
    tool: string;
    text: string;
    summary: string | null;
    failed: boolean;
  }>(
    prepared(`select t.sequence_number as number, m.server_name as server, coalesce(m.tool_name, '') as tool,
       coalesce(m.result->>'content', '') as text,
       (select string_agg(s.content, E'\\n') from timeline_events s where s.session_id = $1 and s.execution_id = m.execution_id
          and s.type = 'MCP_TOOL_SUMMARY' and s.metadata->>'tool_call_id' = m.tool_call_id) as summary,
       coalesce((m.result->>'isError')::boolean, false) as failed
     from mcp_interactions m join timeline_events t on t.session_id = $1 and t.execution_id = m.execution_id
       and t.type = 'LLM_TOOL_CALL' and t.metadata->>'tool_call_id' = m.tool_call_id
     where m.session_id = $1 and m.type = 'TOOL_CALL' and m.server_name <> '${BUILTIN_SERVER}' order by t.sequence_number desc limit ${MAX_OUTPUTS + 1}`),
    [session.id],
  );
  const told = await db.query<{ content: string }>(
    `select q.content from chat_user_messages q join chats c on c.id = q.chat_id where c.session_id = $1
     union all select t.content from timeline_events t where t.session_id = $1 and t.type = 'HINT'`,
    [session.id],
  );
  const trusted = { number: null, isUntrusted: false };
  const texts: Source[] = [
    ...told.rows.map(({ content }): Source => ({ ...trusted, origin: 'PERSON', text: content })),
    { ...trusted, origin: 'RUNBOOK', text: alert.runbook ?? '' },
    { ...trusted, origin: 'ALERT', text: session.alertData },
    ...outputs.rows
      .slice(0, MAX_OUTPUTS)
      .flatMap(({ number, server, tool, text, summary, failed }): Source[] => {
        const source = { origin: 'TOOL_OUTPUT', number } as const;
        if (isUntrusted(server, tool))
          return [{ ...source, text: `${text}\n${summary ?? ''}`, isUntrusted: true }];
        return failed ? [] : [{ ...source, text, isUntrusted: false }]; // an error may repeat the arguments of its call
      }),
  ];
  return { texts, isAll: outputs.rows.length <= MAX_OUTPUTS };
}
