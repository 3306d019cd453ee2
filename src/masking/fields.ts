import { findInTables, isCell, type NamedCell } from './columns.ts';
import { type FieldName, fieldName } from './field-names.ts';
import { isSetting, valuesOf } from './field-places.ts';
import { isSecretValue } from './field-values.ts';
import type { Mask, Placeholder } from './masks.ts';
import { characterTable } from './text.ts';

/** Matches parts of secrets' names; a match is widened to the whole identifier. */
const CANDIDATE =
  /p(?:ass|w|sk)|token|jwt|bearer|s(?:ecret|ig(?==)|(?:ess)?id\b|essionid)|appid|key|c(?:redential|ookie)|auth|login|encrypt(?=["' ]{0,3}[:=])|-(?:data|signature|text)/gi;
const IN_NAME = characterTable(/[A-Za-z0-9_.-]/);

/** Matches the beginning of an AWS resource name, whose parts are no fields: `arn:aws:secretsmanager:…:secret:db`. */
const RESOURCE = /\barn:aws[\w-]*:[\w:-]*$/;

const LONGEST_NAME = 80;

/** Finds the values of fields with a secret's name, with any quotes and any level of escaping. */
export function findFields(text: string, placeholder: Placeholder): Mask[] {
  const masks: Mask[] = [];
  /** Names without a value after them, which may be cells of a table. */
  const alone: NamedCell[] = [];
  const names = new Map<string, Known | null>();
  const candidate = new RegExp(CANDIDATE);
  while (candidate.test(text)) {
    const last = candidate.lastIndex - 1;
    let end = widenRight(text, last);
    const start = withWordsBefore(text, widenLeft(text, last), end);
    while (text[end - 1] === '.' || (text[end - 1] === '-' && text[end] === '>')) end--;
    candidate.lastIndex = end;
    if (end - start > LONGEST_NAME || (text[start - 1] === '[' && text.startsWith('MASKED_', start)))
      continue;
    if (text[start - 1] === ':' && RESOURCE.test(text.slice(Math.max(0, start - LONGEST_NAME), start)))
      continue;
    const identifier = text.slice(start, end);
    let known = names.get(identifier);
    if (known === undefined) {
      known = knownBy(fieldName(identifier), placeholder);
      names.set(identifier, known);
    }
    if (known === null) continue;
    const { name } = known;
    const values = valuesOf(text, start, end, name);
    if (values.length === 0 && !name.plural && isCell(text, start, end)) alone.push({ start, end, ...known });
    const setting = values.length > 0 && isSetting(text, start, end);
    for (const value of values) {
      const { start, end } = value;
      const isCode = value.code && !value.quoted;
      const whole = {
        ...value,
        text: text.slice(start, end),
        setting: (value.setting || setting) && !isCode,
      };
      if (!isSecretValue(name, whole)) continue;
      masks.push({ start, end, replacement: known.replacement });
      candidate.lastIndex = Math.max(candidate.lastIndex, end);
    }
  }
  return masks.concat(findInTables(text, alone));
}

interface Known {
  name: FieldName;
  replacement: string;
}

function knownBy(name: FieldName | null, placeholder: Placeholder): Known | null {
  const replacement = name && placeholder(name.patterns);
  return name && replacement ? { name, replacement } : null;
}

const KEY = /^key$/i;
const WORDS_BEFORE =
  /(?<![\w-])(?:(?:secret|access|api|routing|signing|encryption|private|license|master) |secret access )$/i;

/** Returns the start of a name. Only `key` needs the words before it, as in `API key` or `Secret Access Key`. */
function withWordsBefore(text: string, start: number, end: number): number {
  if (text.charCodeAt(start - 1) !== 32 || end - start !== 3 || !KEY.test(text.slice(start, end)))
    return start;
  return start - (WORDS_BEFORE.exec(text.slice(Math.max(0, start - 20), start))?.[0].length ?? 0);
}

function widenLeft(text: string, from: number): number {
  let at = from;
  const stop = Math.max(0, from - LONGEST_NAME);
  while (at > stop && IN_NAME[text.charCodeAt(at - 1)] === 1) at--;
  // In escaped text, `\npassword` is a line end and the name `password`.
  return text.charCodeAt(at - 1) === 92 && at < from && 'nrt'.includes(text[at]!) ? at + 1 : at;
}

function widenRight(text: string, from: number): number {
  let at = from;
  const stop = Math.min(text.length, from + LONGEST_NAME);
  while (at < stop && IN_NAME[text.charCodeAt(at)] === 1) at++;
  return at;
}
