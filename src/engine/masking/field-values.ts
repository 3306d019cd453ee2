import type { FieldName } from './field-names.ts';
import { isMasked } from './masks.ts';

/** How a value was written. */
export interface FieldValue {
  text: string;
  quoted: boolean;
  /** The rest of a line in `key: value` form, so it may be a sentence. */
  wholeLine: boolean;
  /** `name = value` with spaces, as program code has it. */
  code: boolean;
}

/** Values that say something about a secret instead of being one, in lower case. */
const WORDS = new Set(
  [
    'null nil none undefined true false yes no on off n/a na unset empty missing required optional hidden invalid',
    'redacted masked removed omitted secret unknown default disabled enabled present absent set not-set string str',
    'text bool boolean int integer number object any bytes varchar char secretstr string! opaque bearer basic',
    'expired incorrect wrong rejected accepted failed ok success changed unchanged ~ - --- ... eof',
    'password passwd token key apikey api_key credentials example placeholder changeme-not-set authentication',
  ].flatMap((line) => line.split(' ')),
);

/** Beginnings of sentences about a secret, as in `Password: must be changed`. */
const SENTENCE =
  /^(?:must|should|shall|is|was|were|are|not|cannot|can|could|required|incorrect|invalid|authentication|expired|has|have|for|policy|and|or|the|to|please|enter|missing|mismatch|failed|does|did|will|wrong|no|unable|error|if|when|this|that|a|an|in|of|from|with|without|may|only|never|set|reset|rotation|verification|accepted)\s+[a-z]/i;

const STAND_INS = [
  /^[*•xX.#?_-]+$/,
  /^<[^<>]*>?$/,
  /^<(?:set to|none|no|unset|redacted|nil|hidden)\b/i,
  /^\$(?:\{[^}]*\}?|\([^)]*\)?|[A-Za-z_]\w*)$/,
  /^\{\{.*$/,
  /^[%#]\{?\(?[A-Za-z_.]*\}?\)?[svdq]?$/,
  /^[([]?(?:redacted|filtered|masked|hidden|removed|sensitive|encrypted)\b.{0,40}$/i,
  /^(?:secretkeyref|configmapkeyref|valuefrom|fieldref)\b/i,
  /^(?:arn:aws[\w-]*:|projects\/[\w-]+\/secrets\/|op:\/\/|vault:|ref\+|file:|env:|azurekeyvault|gcpsm|awssm|ssm:|keyring:)/i,
  /^(?:process\.env|os\.environ|os\.getenv|getenv|env|System\.getenv|ENV)[.[(]/,
  /^\d+ bytes$/,
  /^(?:sha256|sha1|sha512|md5):[0-9a-f]+$/i,
];

/** Values of more than this (characters) are not worth a closer look. */
const LONGEST_LOOK = 512;

const UNPROTECTED_URL = /^https?:\/\/[^\s@?]*(?:\?[^\s@]*)?$/i;
const KNOWN_ROOT =
  /^(?:\/(?:etc|var|run|usr|home|opt|mnt|tmp|root|srv|data|secrets?|vault|proc|dev|app|apps|config|certs?|credentials?|workspace|workspaces|bin|lib|sys|boot|media|Users|keys|ssl|tls|pki|token|tokens)(?:\/[\w.@+-]*)*|[A-Za-z]:\\[\w.\\ -]+|(?:\.{1,2}|~)(?:\/[\w.@+-]+)+)$/;
const CALL = /^(?:await |new )?[A-Za-z_][\w.]*\([^"'\n]*\)?[;,]?$/;
const CODE_PATH = /^[A-Za-z_][A-Za-z_]*(?:\.[A-Za-z_][A-Za-z_]*)+[;,)]*$/;

/** Whether a field's value is to be masked. */
export function isSecretValue(name: FieldName, value: FieldValue): boolean {
  const text = value.text.trim();
  if (text.length < name.minLength || isMasked(text)) return false;
  if (text.length > LONGEST_LOOK) return true;
  if (text.startsWith('[MASKED_') && /^\[MASKED_[A-Z0-9_]+\]\S{0,2}$/.test(text)) return false;
  if (WORDS.has(text.toLowerCase().replace(/[,;.)]$/, ''))) return false;
  if (STAND_INS.some((pattern) => pattern.test(text))) return false;
  if (KNOWN_ROOT.test(text) || UNPROTECTED_URL.test(text)) return false;
  if (value.wholeLine && SENTENCE.test(text)) return false;
  if (value.code && !value.quoted && (CALL.test(text) || CODE_PATH.test(text))) return false;
  if (name.mayBeCount && /^\d{1,9}(?:[,;]? [a-z]+[:=].*)?$/i.test(text)) return false;
  return name.mayBeName ? !isHarmlessName(text) : true;
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
function isObjectName(text: string): boolean {
  if (!/^[a-z][a-z0-9]*(?:[-./_:][a-z0-9]+)+$/.test(text)) return false;
  const parts = text.split(/[-./_:]/);
  return (
    parts.every((part) => part.length <= 20 && (part.length <= 10 || !/\d/.test(part))) &&
    parts.some((part) => /^[a-z]{3,}$/.test(part) && /[aeiouy]/.test(part))
  );
}
