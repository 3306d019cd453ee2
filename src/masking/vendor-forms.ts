import type { MaskingPattern } from '../config/masking-names.ts';
import { ALPHABETS, VENDOR_KEYS } from './vendor-key-table.ts';

export interface Form {
  patterns: readonly MaskingPattern[];
  regex: RegExp;
  /** Matches the rest of a key without a maximum length, after the SAMPLE characters of `regex`; else `null`. */
  rest: RegExp | null;
  /** The variable beginning: its characters and their maximum number; `null` if the form starts with a fixed part. */
  first: { sign: RegExp; most: number } | null;
}

/** Characters checked of a key without a maximum length; more would take quadratic time for many false beginnings. */
export const SAMPLE = 100;

/** Matches the runs of characters in a shape: `<w32>`, `<w20+>`, `<w8-10>`. */
const CHARACTERS = /<([a-z])([\d+-]+)>/g;
const VARIABLE = /^<([a-z])(\d+)(?:-(\d+))?>(?:\([^)]*\))?/;
/** Characters that may follow a fixed beginning of one character. */
const SIGNS = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter((sign) =>
  /[\w-]/.test(sign),
);

/** Forms by their first two characters (see `pairAt`), tried at the start of each word. */
export const AT_WORDS: (Form[] | undefined)[] = new Array(128 * 128).fill(undefined);
/** All other forms by their fixed part, which is searched for in the whole text. */
export const ANYWHERE = new Map<string, Form[]>();

for (const { patterns, key } of VENDOR_KEYS) {
  const form = formOf(patterns, key[1]);
  for (const head of headsOf(key[1])) sortIn(form, head);
}

export const ANCHORS = new RegExp(
  [...ANYWHERE.keys()].map((anchor) => anchor.replace(/[./~]/g, '\\$&')).join('|'),
  'g',
);

/** Returns the index in AT_WORDS of two ASCII characters. */
export function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 128 + text.charCodeAt(at + 1);
}

function sortIn(form: Form, head: string): void {
  // Keys of GitHub and Slack may directly follow letters.
  const isAnywhere = form.first !== null || /^(?:gh._|github_|xox|xapp|\.)/.test(head);
  if (isAnywhere) ANYWHERE.set(head, [...(ANYWHERE.get(head) ?? []), form]);
  else
    for (const sign of head.length > 1 ? [''] : SIGNS) {
      const pair = pairAt(head + sign, 0);
      const forms = AT_WORDS[pair] ?? [];
      if (!forms.includes(form)) AT_WORDS[pair] = [...forms, form];
    }
}

function formOf(patterns: readonly MaskingPattern[], shape: string): Form {
  const source = shape
    .replace(/[./~]/g, '\\$&')
    .replace(
      CHARACTERS,
      (_, sort: string, count: string) => `[${ALPHABETS[sort]}]{${count.replace(/[+-]/, ',')}}`,
    );
  const last = /<([a-z])\d+\+>$/.exec(shape)?.[1];
  const rest = last === undefined ? null : new RegExp(`[${ALPHABETS[last]}]*`, 'y');
  const grouped = source.replaceAll('(', '(?:');
  const regex = new RegExp(rest ? grouped.replace(/,\}$/, `,${SAMPLE}}`) : `${grouped}(?![A-Za-z0-9])`, 'y');
  if (!shape.startsWith('<')) return { patterns, regex, rest, first: null };
  const variable = VARIABLE.exec(shape) ?? [''];
  const [whole, sort = '', least = '0', most = least] = variable;
  const sign = new RegExp(`[${ALPHABETS[sort]}]`);
  const first = { sign, most: Number(most) + (whole.endsWith(')') ? 1 : 0) };
  return { patterns, regex, rest, first };
}

/** Returns the fixed beginning of each variant of a shape, or the first fixed part after a variable beginning. */
function headsOf(shape: string): string[] {
  if (shape.startsWith('<')) return [shape.replace(VARIABLE, '').split('<')[0]!];
  const head = shape.split('<')[0]!.replace(/\([^)]*$/, '');
  const [, before = head, group, after = ''] = /^([^(]*)\(([^)]*)\)(\??[^(]*)/.exec(head) ?? [];
  if (group === undefined) return [head];
  if (after.startsWith('?')) return [before];
  return group.split('|').map((variant) => before + variant + after);
}
