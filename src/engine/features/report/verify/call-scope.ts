import { findFigures } from './figures.ts';
import { fold, keyWords } from './names.ts';
import type { ToolOutput } from './types.ts';

/** Where and for what a call looked, from its arguments and the queries in them. */
export interface CallScope {
  /** Words that the call looked for or in, lower-case, without those that it excludes. */
  terms: ReadonlySet<string>;
  /** Words of the names of metrics and fields in its queries. */
  words: readonly string[];
  /** Values that narrow the search: a claim of absence has to name each. */
  conditions: readonly string[];
  /** True if the call excludes something, such as with `!= "error"`. */
  excludes: boolean;
  /** Names of arguments with their values. */
  fields: readonly { key: string; value: string }[];
  /**
   * Time window of the call: begin and end as written, and the shortest duration (s); each `null` if not
   * given.
   */
  window: { from: string | null; to: string | null; span: number | null };
  metric: string;
}

const MAX_ARGUMENTS = 20_000;

/** Reads the scope of a call. Arguments are untrusted: they say where the call looked, and prove no value. */
export function readScope({ arguments: args }: ToolOutput): CallScope {
  const fields = flatten(parsed(args));
  const text = fields.map(({ value }) => value).join('\n');
  const excluded = text.replace(EXCLUDED, ' ');
  const searched = fields.filter(({ key }) => !WINDOW_KEY.test(key));
  const values = searched.map(({ key, value }) => ({ key, value: fold(value).replace(EXCLUDED, ' ') }));
  return {
    terms: new Set(values.flatMap(({ value }) => wordsOf(value))),
    words: excluded.match(/[a-zA-Z_][\w:]*(?=[\s({[])|[a-zA-Z_]\w*_\w+|p\d\d/g)?.flatMap(keyWords) ?? [],
    conditions: values.flatMap(({ key, value }) => (WHERE_KEY.test(key) ? [] : conditionsOf(value))),
    excludes: excluded !== text,
    fields,
    window: readWindow(fields, text),
    metric: /\b(?:rate|irate|increase|deriv)\b|\//.test(text)
      ? ''
      : (/\b[a-z]\w*_\w+(?=[{\s>]|$)/.exec(text)?.[0] ?? ''),
  };
}

/** Matches the conditions with which a query of LogQL, PromQL, SQL, Lucene or a selector excludes something. */
const EXCLUDED =
  /(?:!=|!~|<>|\bnot\s+in\b|\bnot\s+like\b|\bnot\b|(?<=\s)-(?=\w+:)|--?(?:exclude|invert-match)[= ])\s*(?:"[^"]*"|'[^']*'|\([^)]*\)|[^\s,})]*)|\s-v\s+\S+/gi;
/** Arguments that say where a call looked as a whole, or how it answers: they do not narrow what it looked for. */
const WHERE_KEY =
  /^(?:limit|tail|size|count|step|direction|order|sort|output|format|context|cluster|profile|region|project|host|datasource|resource|resource_type|kind|path|url|method|max.*|.*timeout.*)$/i;
const WINDOW_KEY =
  /^(?:since|until|from|to|start|end|begin|before|after|time|at|window|range|lookback|duration|step|minutes|hours|days|start_?time|end_?time|.*_?ms|limit|tail)$/i;

function flatten(value: unknown, key = '', depth = 0): { key: string; value: string }[] {
  if (value === null || value === undefined || depth > 8) return [];
  if (typeof value !== 'object') return [{ key, value: String(value).slice(0, MAX_ARGUMENTS) }];
  const entries = Object.entries(value).slice(0, 200);
  return entries.flatMap(([name, item]) => flatten(item, Array.isArray(value) ? key : name, depth + 1));
}

function parsed(args: unknown): unknown {
  if (typeof args !== 'string') return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

export function wordsOf(text: string): string[] {
  return (
    fold(text)
      .match(/[\p{L}\p{N}_*/][\p{L}\p{N}_.:/*@-]*[\p{L}\p{N}_*]|[\p{L}\p{N}/]/gu)
      ?.flatMap((word) => [word, ...word.split(/[/:@]/)]) ?? []
  );
}

/**
 * Returns the values in a query that narrow its result. An argument that is not a query is one such value.
 */
function conditionsOf(value: string): string[] {
  if (!/[=<>{}|]|:\S|\bwhere\b|\band\b/.test(value))
    return value.trim() === '' || /^\d+$|^(?:true|false)$/.test(value) ? [] : [value.trim()];
  const quoted = [...value.matchAll(/'([^']+)'/g)].map(([, text]) => text!);
  const plain = [...value.replace(/'[^']*'/g, ';').matchAll(/(?:=|[\w.]:)\s*([\w.*/-]+)/g)].map(
    ([, text]) => text!,
  );
  const bounds = [...value.matchAll(/[<>]=?\s*([\d.]+)/g)]
    .map(([, text]) => text!)
    .filter((text) => !/^[01]$/.test(text));
  return [...quoted, ...plain, ...bounds];
}

function readWindow(fields: CallScope['fields'], text: string): CallScope['window'] {
  const find = (pattern: RegExp) => fields.find(({ key }) => pattern.test(key))?.value ?? null;
  const from = find(/^(?:since|from|start|begin|after|start_?time|window|range|lookback)$/i);
  const to = find(/^(?:until|to|end|before|end_?time)$/i);
  const counted = fields.find(({ key }) => /^(?:minutes|hours|days)$/i.test(key));
  const spans = [
    ...[...text.matchAll(/\[(\d+[smhdw])(?::\w*)?\]|--since[= ]-?(\S+)/g)].map(([, range, since]) =>
      durationOf(range ?? since!),
    ),
    durationOf(from ?? ''),
    counted ? durationOf(`${counted.value} ${counted.key}`) : null,
  ].filter((span) => span !== null);
  return { from, to, span: spans.length > 0 ? Math.min(...spans) : null };
}

/**
 * Returns the duration that a text such as `20m`, `now-6h` or `-30min` states, in seconds; `null` if it
 * states none.
 */
export function durationOf(text: string): number | null {
  const bare = text
    .trim()
    .replace(/^(?:now)?\s?-\s?/i, '')
    .replace(/ ago$/i, '');
  const [figure] = findFigures(bare);
  const seconds = figure?.readings.find(({ dimension }) => dimension === 'seconds')?.value;
  return seconds !== undefined && figure!.start === 0 && figure!.end === bare.length ? seconds : null;
}
