import { isEncodedLogin } from './base64.ts';
import type { FieldName } from './field-names.ts';
import { isGenerated } from './generated.ts';
import { isMasked } from './masks.ts';
import { isStandIn } from './stand-ins.ts';
import type { Place } from './value-places.ts';

/** A field's value and how the text writes it. `setting` is true in a setting, not in a sentence or code. */
export interface FieldValue extends Omit<Place, 'start' | 'end'> {
  text: string;
}

/** Matches the beginning of a sentence about a secret, as in `Password: must be changed`. */
const SENTENCE_START =
  /^(?:must|should|shall|is|was|were|are|not|cannot|can|could|required|incorrect|invalid|authentication|expired|has|have|for|policy|and|or|the|to|please|enter|missing|mismatch|failed|does|did|will|wrong|no|unable|error|if|when|this|that|a|an|in|of|from|with|without|may|only|never|set|reset|rotation|verification|accepted)\s+[a-z]/i;

const SHORTEST_AFTER_SCHEME = 3;

/** Length (characters) above which a value is masked without further checks. */
const LONGEST_LOOK = 512;

const CALL = /^(?:await |new )?[A-Za-z_][\w.]*(?:\([^"'\n]*\)?|\{)[;,]?$/;
const INDEXED = /^[A-Za-z_][\w.]*\[/;
const LABEL = /^[a-z][a-z0-9]{0,14}$/;
const CODE_PATH = /^[A-Za-z_][A-Za-z_]*(?:\.[A-Za-z_][A-Za-z_]*)+[;,)]*$/;

export function isSecretValue(name: FieldName, value: FieldValue): boolean {
  const text = value.text.trim();
  // The lower minimum of settings applies only to values without blanks, which are no sentences.
  const minAsSetting = value.scheme ? SHORTEST_AFTER_SCHEME : value.setting ? name.minAsSetting : undefined;
  const isSetting = minAsSetting !== undefined && !/\s/.test(text);
  const isLogin = name.mayBeLogin === true && isEncodedLogin(text);
  if (text.length < (isSetting ? minAsSetting : name.minLength) && !isLogin) return false;
  if (isMasked(text)) return false;
  if (text.length > LONGEST_LOOK) return true;
  if (text.startsWith('[MASKED_') && /^\[MASKED_[A-Z0-9_]+\]\S{0,2}$/.test(text)) return false;
  // An earlier pattern masked a part of the value, which was the secret.
  if (!name.isNeverName && text.includes('[MASKED_') && !/\s/.test(text)) return false;
  if (isStandIn(text)) return false;
  if (
    (value.wholeLine && SENTENCE_START.test(text)) ||
    (text.includes(' ') && isSentence(text, name.isNeverName === true))
  )
    return false;
  if (value.code && !value.quoted && (CALL.test(text) || CODE_PATH.test(text) || INDEXED.test(text)))
    return false;
  if (name.mayBeCount && /^\d{1,9}(?:[,;]? [a-z]+[:=].*)?$/i.test(text)) return false;
  if (name.mustBeGenerated) return isGenerated(text);
  if (isLogin || name.isNeverName) return true;
  if (name.mayBeLabel && LABEL.test(text)) return false;
  return isSetting ? !isHarmlessSetting(name, value, text) : !isHarmlessName(text);
}

function isHarmlessSetting(name: FieldName, value: FieldValue, text: string): boolean {
  // A text that ends with a colon is the next field's name.
  if (/^\d{1,19}$/.test(text) || text.endsWith(':')) return true;
  if (!value.quoted && /^[A-Z][a-z]+(?:[A-Z][a-z]+)+[,;]?$/.test(text)) return true;
  return name.mayReferTo === true && (isObjectName(text) || CODE_PATH.test(text));
}

function isHarmlessName(text: string): boolean {
  if (/^\d{1,19}$/.test(text)) return true;
  if (/^[A-Za-z]{1,19}$/.test(text) && !/[a-z][A-Z]{2}|[A-Z]{2}[a-z][A-Z]/.test(text)) return true;
  if (CODE_PATH.test(text) && !text.startsWith('eyJ')) return true;
  if (isObjectName(text)) return true;
  return /^[A-Za-z]+(?: [A-Za-z,.'()-]+){2,}$/.test(text);
}

/** True for lower-case names of several words with short numbers or hashes: `db-creds-2024`, `web-7d9f8b6c5d-x2x4z`. */
export function isObjectName(text: string): boolean {
  if (!/^[a-z][a-z0-9]*(?:[-./_:][a-z0-9]+)+$/.test(text)) return false;
  const parts = text.split(/[-./_:]/);
  return (
    parts.every((part) => part.length <= 20 && (part.length <= 10 || !/\d/.test(part))) &&
    parts.some((part) => /^[a-z]{3,}$/.test(part) && /[aeiouy]/.test(part))
  );
}

const LONGEST_SENTENCE = 300;
const FEWEST_WORDS = 3;
const PLAIN_WORD = /^[A-Za-z][a-z]+[,.:]?$/;
/** Matches a part of an ordinary word, name, number or time: letters in usual case, or a short text with few digits. */
const ORDINARY_PART =
  /^(?:[a-z]{1,20}|(?:[A-Z][a-z]{1,20}){1,3}|[A-Z]{1,12}|\d{1,6}[a-z]{0,3}|(?=.{1,10}$)[a-z]{1,8}\d{1,4}[a-z]{0,3})?$/;
/** Function words, which are frequent in sentences and rare in pass phrases. */
const FUNCTION_WORDS = new Set(
  'a after an and any are as at be been before by can cannot could did does for from had has have if in into is it its must no not of off on or should than that the their this to too was were when will with without'.split(
    ' ',
  ),
);

/** True if a text is a sentence about a secret: `signature verification failed for key kid-1829`. */
function isSentence(text: string, mayBePhrase: boolean): boolean {
  if (text.length > LONGEST_SENTENCE || text.includes(';')) return false;
  const words = text.split(/\s+/);
  if (words.length < FEWEST_WORDS || !(PLAIN_WORD.test(words[0]!) || startsWithName(words))) return false;
  if (!words.every(isOrdinary)) return false;
  return !mayBePhrase || words.filter((word) => FUNCTION_WORDS.has(word.toLowerCase())).length >= 2;
}

function startsWithName([name, ...rest]: readonly string[]): boolean {
  return /^[a-z][a-z-]*$/.test(name!) && rest.filter((word) => PLAIN_WORD.test(word)).length >= 3;
}

function isOrdinary(word: string): boolean {
  const bare = word.replace(/^["'(<[]+|["')>\].,:;!?]+$/g, '');
  return bare.split(/[=:/@,._'-]+/).every((part) => ORDINARY_PART.test(part));
}
