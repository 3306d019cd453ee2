import type { MaskingPattern } from '../../config/masking-names.ts';
import { type FieldName, fieldName } from './field-names.ts';
import { isSetting, valuesOf } from './field-places.ts';
import { isSecretValue } from './field-values.ts';
import type { Mask } from './masks.ts';

/** What can be part of a secret's name; a hit is widened to the whole identifier. */
const CANDIDATE = /pass|pwd|token|jwt|bearer|secret|key|credential|auth|cookie|-data|AuthorityData/gi;

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
  const names = new Map<string, FieldName | null>();
  const candidate = new RegExp(CANDIDATE);
  for (let hit = candidate.exec(text); hit; hit = candidate.exec(text)) {
    const start = widenLeft(text, hit.index);
    const end = widenRight(text, hit.index + hit[0].length);
    candidate.lastIndex = end;
    if (end - start > LONGEST_NAME || (text[start - 1] === '[' && text.startsWith('MASKED_', start)))
      continue;
    const name = known(names, text.slice(start, end));
    const pattern = name?.patterns.find((each) => enabled.has(each));
    if (!name || pattern === undefined) continue;
    const values = valuesOf(text, start, end, name);
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
