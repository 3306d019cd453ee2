import { isEncodedLogin } from './base64.ts';
import type { FieldName } from './field-names.ts';
import { isMasked } from './masks.ts';
import { isSentence } from './sentences.ts';
import { isStandIn } from './stand-ins.ts';

/** How a value was written. */
export interface FieldValue {
  text: string;
  quoted: boolean;
  /** The rest of a line in `key: value` form, so it may be a sentence. */
  wholeLine: boolean;
  /** `name = value` with spaces, as program code has it. */
  code: boolean;
  /** Where settings stand, not in a sentence or in code. */
  setting: boolean;
  /** After a scheme of HTTP authorization, such as `Bearer`. */
  scheme?: boolean;
}

/** Beginnings of sentences about a secret, as in `Password: must be changed`. */
const SENTENCE =
  /^(?:must|should|shall|is|was|were|are|not|cannot|can|could|required|incorrect|invalid|authentication|expired|has|have|for|policy|and|or|the|to|please|enter|missing|mismatch|failed|does|did|will|wrong|no|unable|error|if|when|this|that|a|an|in|of|from|with|without|may|only|never|set|reset|rotation|verification|accepted)\s+[a-z]/i;

/** Shorter values after `Bearer` and the like are no credentials (characters). */
const SHORTEST_AFTER_SCHEME = 3;

/** Values of more than this (characters) are not worth a closer look. */
const LONGEST_LOOK = 512;

const CALL = /^(?:await |new )?[A-Za-z_][\w.]*(?:\([^"'\n]*\)?|\{)[;,]?$/;
const INDEXED = /^[A-Za-z_][\w.]*\[/;
const LABEL = /^[a-z][a-z0-9]{0,14}$/;
const CODE_PATH = /^[A-Za-z_][A-Za-z_]*(?:\.[A-Za-z_][A-Za-z_]*)+[;,)]*$/;

/** Whether a field's value is to be masked. */
export function isSecretValue(name: FieldName, value: FieldValue): boolean {
  const text = value.text.trim();
  // What has blanks in it is a sentence, unless the length says otherwise.
  const minAsSetting = value.scheme ? SHORTEST_AFTER_SCHEME : value.setting ? name.minAsSetting : undefined;
  const isSetting = minAsSetting !== undefined && !/\s/.test(text);
  const isLogin = name.mayBeLogin === true && isEncodedLogin(text);
  if (text.length < (isSetting ? minAsSetting : name.minLength) && !isLogin) return false;
  if (isMasked(text)) return false;
  if (text.length > LONGEST_LOOK) return true;
  if (text.startsWith('[MASKED_') && /^\[MASKED_[A-Z0-9_]+\]\S{0,2}$/.test(text)) return false;
  // What is masked within it was the secret.
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

/** A number; the name of a type, as program code has it; where it may be, the name of an object. */
function isHarmlessSetting(name: FieldName, value: FieldValue, text: string): boolean {
  // The next name is no value.
  if (/^\d{1,19}$/.test(text) || text.endsWith(':')) return true;
  if (!value.quoted && /^[A-Z][a-z]+(?:[A-Z][a-z]+)+[,;]?$/.test(text)) return true;
  return name.mayReferTo === true && (isObjectName(text) || CODE_PATH.test(text));
}

/** The name of an object, a word, a number or a sentence: what stands in such fields when it is no secret. */
function isHarmlessName(text: string): boolean {
  if (/^\d{1,19}$/.test(text)) return true;
  if (/^[A-Za-z]{1,19}$/.test(text) && !/[a-z][A-Z]{2}|[A-Z]{2}[a-z][A-Z]/.test(text)) return true;
  if (CODE_PATH.test(text) && !text.startsWith('eyJ')) return true;
  if (isObjectName(text)) return true;
  return /^[A-Za-z]+(?: [A-Za-z,.'()-]+){2,}$/.test(text);
}

/** A lower-case name of several words, at most with short numbers or hashes: `db-creds-2024`, `web-7d9f8b6c5d-x2x4z`. */
export function isObjectName(text: string): boolean {
  if (!/^[a-z][a-z0-9]*(?:[-./_:][a-z0-9]+)+$/.test(text)) return false;
  const parts = text.split(/[-./_:]/);
  return (
    parts.every((part) => part.length <= 20 && (part.length <= 10 || !/\d/.test(part))) &&
    parts.some((part) => /^[a-z]{3,}$/.test(part) && /[aeiouy]/.test(part))
  );
}
