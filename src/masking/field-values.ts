import { isEncodedLogin } from './base64.ts';
import type { FieldName } from './field-names.ts';
import { isMasked } from './masks.ts';
import { isSentence } from './sentences.ts';
import { isStandIn } from './stand-ins.ts';

/** A value and the way it is written. */
export interface FieldValue {
  text: string;
  quoted: boolean;
  /** True if the value is the rest of a `key: value` line, so it may be a sentence. */
  wholeLine: boolean;
  /** True for `name = value` with spaces, as in program code. */
  code: boolean;
  /** True if the value is part of a setting, not of a sentence or code. */
  setting: boolean;
  /** True after an HTTP authorization scheme such as `Bearer`. */
  scheme?: boolean;
}

/** Matches the beginning of a sentence about a secret, as in `Password: must be changed`. */
const SENTENCE =
  /^(?:must|should|shall|is|was|were|are|not|cannot|can|could|required|incorrect|invalid|authentication|expired|has|have|for|policy|and|or|the|to|please|enter|missing|mismatch|failed|does|did|will|wrong|no|unable|error|if|when|this|that|a|an|in|of|from|with|without|may|only|never|set|reset|rotation|verification|accepted)\s+[a-z]/i;

/** Minimum length of a credential after a scheme such as `Bearer` (characters). */
const SHORTEST_AFTER_SCHEME = 3;

/** Longer values (characters) are masked without further checks. */
const LONGEST_LOOK = 512;

const CALL = /^(?:await |new )?[A-Za-z_][\w.]*(?:\([^"'\n]*\)?|\{)[;,]?$/;
const INDEXED = /^[A-Za-z_][\w.]*\[/;
const LABEL = /^[a-z][a-z0-9]{0,14}$/;
const CODE_PATH = /^[A-Za-z_][A-Za-z_]*(?:\.[A-Za-z_][A-Za-z_]*)+[;,)]*$/;

/** True if a field's value must be masked. */
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
  // The masked part was the secret.
  if (name.mayBeName && text.includes('[MASKED_') && !/\s/.test(text)) return false;
  if (isStandIn(text)) return false;
  if ((value.wholeLine && SENTENCE.test(text)) || (text.includes(' ') && isSentence(text, !name.mayBeName)))
    return false;
  if (value.code && !value.quoted && (CALL.test(text) || CODE_PATH.test(text) || INDEXED.test(text)))
    return false;
  if (name.mayBeCount && /^\d{1,9}(?:[,;]? [a-z]+[:=].*)?$/i.test(text)) return false;
  if (isLogin || !name.mayBeName) return true;
  if (name.mayBeLabel && LABEL.test(text)) return false;
  return isSetting ? !isHarmlessSetting(name, value, text) : !isHarmlessName(text);
}

/** True for a number, a type name of program code and, if the field allows it, an object's name. */
function isHarmlessSetting(name: FieldName, value: FieldValue, text: string): boolean {
  // Text that ends with a colon is the next name.
  if (/^\d{1,19}$/.test(text) || text.endsWith(':')) return true;
  if (!value.quoted && /^[A-Z][a-z]+(?:[A-Z][a-z]+)+[,;]?$/.test(text)) return true;
  return name.mayReferTo === true && (isObjectName(text) || CODE_PATH.test(text));
}

/** True for an object's name, a word, a number or a sentence. */
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
