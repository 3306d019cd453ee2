import type { MaskingPattern } from '../config/masking-names.ts';
import { ALPHABETS, VENDOR_KEYS } from './vendor-key-table.ts';

/** A row of the vendor table as a regular expression. */
export interface Form {
  patterns: readonly MaskingPattern[];
  regex: RegExp;
  /** Matches the rest of a key without a maximum length, after the SAMPLE characters of `regex`; `null` if not needed. */
  rest: RegExp | null;
  /** The fixed beginning of each variant; after a variable beginning, the first fixed part. */
  heads: readonly string[];
  /** The variable beginning: its characters and their maximum number; `null` if the form starts with a fixed part. */
  first: { sign: RegExp; most: number } | null;
}

/** A form with the fixed part to search for. The key starts there, or earlier by the variable beginning `first`. */
export interface Anchored {
  form: Form;
  anchor: string;
}

/**
 * Characters that are checked of a key without a maximum length. Without a limit, a text with many possible beginnings
 * would take quadratic time.
 */
export const SAMPLE = 100;

const PLACEHOLDER = /<([a-z])(\d+)(?:(\+)|-(\d+))?>/g;
const RUN_ONLY = /^[A-Za-z0-9_-]+$/;
/** The characters of a run. Keys mostly consist of them. */
const SIGNS = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter((sign) =>
  RUN_ONLY.test(sign),
);

const FORMS = VENDOR_KEYS.map(({ patterns, key: [, shape] }) => formOf(patterns, shape));

/** Forms by their first two characters (see `pairAt`), tried at the start of each run. */
export const AT_RUNS = new Map<number, Form[]>();
/** Forms with another character before a run, by that character, tried at the start of each run after it. */
export const BEFORE_RUNS = new Map<string, Anchored[]>();
/** All other forms by their fixed part, which is searched for in the whole text. */
export const ANYWHERE = new Map<string, Form[]>();

for (const form of FORMS) {
  for (const anchor of form.heads) sortIn({ form, anchor });
}

/** Matches the fixed parts of ANYWHERE. */
export const ANCHORS = new RegExp(
  [...ANYWHERE.keys()].map((anchor) => anchor.replace(/[./~]/g, '\\$&')).join('|'),
  'g',
);

/** Returns two characters as one number, because numbers are the fastest keys of a Map. */
export function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 128 + text.charCodeAt(at + 1);
}

function sortIn({ form, anchor }: Anchored): void {
  const lead = anchor.replace(/[A-Za-z0-9_-]*$/, '');
  // Keys of GitHub and Slack occur directly after letters of a word. The parts of Slack's hook address are short.
  const isAnywhere = /^(?:gh._|github_|xox|xapp|hooks)/.test(anchor);
  if (isAnywhere || (form.first !== null && lead === '')) push(ANYWHERE, anchor, form);
  else if (lead !== '') push(BEFORE_RUNS, lead.at(-1)!, { form, anchor: lead });
  else if (anchor.length > 1) push(AT_RUNS, pairAt(anchor, 0), form);
  else for (const sign of SIGNS) push(AT_RUNS, pairAt(anchor + sign, 0), form);
}

function push<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
  const list = lists.get(key) ?? [];
  if (!list.includes(item)) lists.set(key, [...list, item]);
}

function formOf(patterns: readonly MaskingPattern[], shape: string): Form {
  const literal = shape.replace(/[./~]/g, '\\$&');
  const source = literal.replace(
    PLACEHOLDER,
    (_, sort: string, least: string, more?: string, most?: string) =>
      `[${ALPHABETS[sort]}]{${least}${more ? ',' : most ? `,${most}` : ''}}`,
  );
  const last = /<([a-z])\d+\+>$/.exec(shape)?.[1];
  const rest = last === undefined ? null : new RegExp(`[${ALPHABETS[last]}]*`, 'y');
  const grouped = source.replaceAll('(', '(?:');
  const regex = new RegExp(rest ? grouped.replace(/,\}$/, `,${SAMPLE}}`) : `${grouped}(?![A-Za-z0-9])`, 'y');
  if (!shape.startsWith('<')) return { patterns, regex, rest, heads: headsOf(shape), first: null };
  const [whole, sort = '', least = '0', most = least] = /^<([a-z])(\d+)(?:-(\d+))?>(?:\([^)]*\))?/.exec(
    shape,
  ) ?? [''];
  const first = {
    sign: new RegExp(`[${ALPHABETS[sort]}]`),
    most: Number(most) + (whole.endsWith(')') ? 1 : 0),
  };
  return { patterns, regex, rest, heads: [shape.slice(whole.length).split('<')[0]!], first };
}

/** Returns the beginnings of a shape up to its first placeholder, one for each variant. */
function headsOf(shape: string): string[] {
  const head = shape.split('<')[0]!.replace(/\([^)]*$/, '');
  const [, before = head, group, after = ''] = /^([^(]*)\(([^)]*)\)(\??[^(]*)/.exec(head) ?? [];
  if (group === undefined) return [head];
  if (after.startsWith('?')) return [before];
  return group.split('|').map((variant) => before + variant + after);
}
