import type { MaskingPattern } from '../config/masking-names.ts';
import { ALPHABETS, VENDOR_KEYS } from './vendor-key-table.ts';

/** A row of the table, ready to be tried at a place. */
export interface Form {
  patterns: readonly MaskingPattern[];
  regex: RegExp;
  /** What may follow a match that is as long as `regex` lets it be. */
  rest: RegExp | null;
  /** What it begins with, in each of its variants; empty when that is anything. */
  heads: readonly string[];
  /** Of a form that begins with anything: what its first signs are, and how many there may be before its first fixed part. */
  first: { sign: RegExp; most: number } | null;
}

/** A form, and the fixed part of it that is looked for: it begins there, or as many signs before as `first` says. */
export interface Anchored {
  form: Form;
  anchor: string;
}

/** A key of any length is judged by so many signs (characters): one may seem to begin very often, each time going on to the end. */
export const SAMPLE = 100;

const PLACEHOLDER = /<([a-z])(\d+)(?:(\+)|-(\d+))?>/g;
const RUN_ONLY = /^[A-Za-z0-9_-]+$/;
/** Signs of a run: what keys consist of for the most part. */
const SIGNS = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter((sign) =>
  RUN_ONLY.test(sign),
);

const FORMS = VENDOR_KEYS.map(({ patterns, key: [, shape] }) => formOf(patterns, shape));

/** Forms by their first two signs, as `pairAt` has them: tried where a run begins. */
export const AT_RUNS = new Map<number, Form[]>();
/** Forms of which a run follows a sign that is none of a run, by that sign: tried where a run begins behind it. */
export const BEFORE_RUNS = new Map<string, Anchored[]>();
/** The others, by their fixed part, which is looked for through all the text. */
export const ANYWHERE = new Map<string, Form[]>();

for (const form of FORMS) {
  for (const anchor of form.heads) sortIn({ form, anchor });
}

/** All their fixed parts. */
export const ANCHORS = new RegExp(
  [...ANYWHERE.keys()].map((anchor) => anchor.replace(/[./~]/g, '\\$&')).join('|'),
  'g',
);

/** Two signs as one number: of a Map's keys, numbers are found soonest. */
export function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 128 + text.charCodeAt(at + 1);
}

function sortIn({ form, anchor }: Anchored): void {
  const lead = anchor.replace(/[A-Za-z0-9_-]*$/, '');
  // Keys of GitHub and Slack were seen right behind other letters of a word; parts of this address are short.
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

/** The beginnings of a shape up to its first placeholder, one for each variant. */
function headsOf(shape: string): string[] {
  const head = shape.split('<')[0]!.replace(/\([^)]*$/, '');
  const [, before = head, group, after = ''] = /^([^(]*)\(([^)]*)\)(\??[^(]*)/.exec(head) ?? [];
  if (group === undefined) return [head];
  if (after.startsWith('?')) return [before];
  return group.split('|').map((variant) => before + variant + after);
}
