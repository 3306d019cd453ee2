import type { MaskingPattern } from '../config/masking-names.ts';
import { findInTables, type Named } from './columns.ts';
import { type FieldName, fieldName } from './field-names.ts';
import { isSetting, valuesOf } from './field-places.ts';
import { isSecretValue } from './field-values.ts';
import type { Mask } from './masks.ts';

/** What can be part of a secret's name; a hit is widened to the whole identifier. */
const CANDIDATE = /pass|pw|token|jwt|bearer|secret|key|credential|auth|cookie|-data|-signature|psk|sig=/gi;

/** What stands before a part of a resource's name, such as `arn:aws:secretsmanager:eu-west-1:123456789012:secret:db`. */
const RESOURCE = /\barn:aws[\w-]*:[\w:-]*$/;

/** Longer identifiers are no names but data (characters). */
const LONGEST_NAME = 80;

/**
 * Values of fields whose name says that they are secret: `name: value`, `name=value`, JSON, flags, XML, environment
 * entries, whatever their quotes and however often they are escaped.
 */
export function findFields(
  text: string,
  enabled: ReadonlySet<MaskingPattern>,
  replacement: (pattern: MaskingPattern) => string,
): Mask[] {
  const masks: Mask[] = [];
  /** Names that no value of their own stands behind. */
  const alone: Named[] = [];
  const names = new Map<string, FieldName | null>();
  const candidate = new RegExp(CANDIDATE);
  for (let hit = candidate.exec(text); hit; hit = candidate.exec(text)) {
    const start = withWordsBefore(text, widenLeft(text, hit.index), hit[0]);
    let end = widenRight(text, hit.index);
    while (text[end - 1] === '.' || (text[end - 1] === '-' && text[end] === '>')) end--;
    candidate.lastIndex = end;
    if (end - start > LONGEST_NAME || (text[start - 1] === '[' && text.startsWith('MASKED_', start)))
      continue;
    if (text[start - 1] === ':' && RESOURCE.test(text.slice(Math.max(0, start - LONGEST_NAME), start)))
      continue;
    const name = known(names, text.slice(start, end));
    const pattern = name?.patterns.find((each) => enabled.has(each));
    if (!name || pattern === undefined) continue;
    const values = valuesOf(text, start, end, name);
    if (values.length === 0 && !name.plural)
      alone.push({ start, end, name, replacement: replacement(pattern) });
    const setting = values.length > 0 && isSetting(text, start, end);
    for (const value of values) {
      const isCode = value.code && !value.quoted;
      const content = text.slice(value.start, value.end);
      if (isSecretValue(name, { ...value, text: content, setting: (value.setting || setting) && !isCode })) {
        masks.push({ start: value.start, end: value.end, replacement: replacement(pattern) });
        candidate.lastIndex = Math.max(candidate.lastIndex, value.end);
      }
    }
  }
  for (const mask of findInTables(text, alone)) masks.push(mask);
  return masks;
}

function known(names: Map<string, FieldName | null>, identifier: string): FieldName | null {
  let name = names.get(identifier);
  if (name === undefined) {
    name = fieldName(identifier);
    names.set(identifier, name);
  }
  return name;
}

const WORDS_BEFORE =
  /(?<![\w-])(?:(?:secret|api|routing|signing|encryption|private|license|master) |secret access )$/i;

/** Where a name begins that is written in words: `API key`, `Secret Access Key`. Only `key` says nothing by itself. */
function withWordsBefore(text: string, start: number, hit: string): number {
  if (text.charCodeAt(start - 1) !== 32 || hit.length !== 3 || hit.toLowerCase() !== 'key') return start;
  return start - (WORDS_BEFORE.exec(text.slice(Math.max(0, start - 20), start))?.[0].length ?? 0);
}

function widenLeft(text: string, from: number): number {
  let at = from;
  const stop = Math.max(0, from - LONGEST_NAME);
  while (at > stop && isNameCode(text.charCodeAt(at - 1))) at--;
  // `\npassword` of an escaped text is a line's end and a name.
  return text.charCodeAt(at - 1) === 92 && at < from && 'nrt'.includes(text[at]!) ? at + 1 : at;
}

function widenRight(text: string, from: number): number {
  let at = from;
  const stop = Math.min(text.length, from + LONGEST_NAME);
  while (at < stop && isNameCode(text.charCodeAt(at))) at++;
  return at;
}

/** Letters, digits, `_`, `-`, `.` */
function isNameCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46
  );
}
