import { isEncodedLogin } from './base64.ts';
import type { KnownSecret } from './find-known.ts';
import { KNOWN_PLACES, PASSWORD_NEEDLE, PASSWORD_NEEDLE_SHORT } from './known-places.ts';
import { isStandIn } from './stand-ins.ts';

/** Matches the start of a run. Expressions start there or have bounded repetitions, so that the work stays linear. */
const START = '(?<![A-Za-z0-9_-])';
const known = (source: string, flags = 'g'): RegExp => new RegExp(source, flags);

/** Matches the words before a secret in a sentence, as in `the password is …`. */
const IS = '(?:is|was|are|to|set to|changed to)';
const PASSWORD_WORD = '\\b(?:password|passwd|passphrase|passcode)';
const BARE = '([^\\s"\'`<>(){}\\[\\],;]{4,200})';

const apiKey = (source: string): KnownSecret => ({
  needle: /api[ _-]?key/i,
  pattern: known(`\\bapi[ _-]?key${source}["'\`]?${BARE}`, 'gi'),
  accepts: isSecretWord,
});

export const API_KEYS: readonly KnownSecret[] = [
  apiKey(`[ \\t]{1,5}(?:${IS}[ \\t]{1,5})?`),
  apiKey('(?: provided)?:[ \\t]{1,5}'),
];

const BASIC_LOGIN: KnownSecret = {
  pattern: known('\\bBasic[ \\t]{1,4}([A-Za-z0-9+/]{4,}={0,2})', 'gi'),
  accepts: isBasicLogin,
};

export const TOKENS: readonly KnownSecret[] = [
  { pattern: known('\\bBearer[ \\t]{1,4}([A-Za-z0-9._~+/-]{16,}=*)', 'gi'), accepts: hasDigitAndLetter },
  BASIC_LOGIN,
  // A key of 512 bits in base64, such as the keys of Azure storage accounts. Digests have a prefix and do not
  // match.
  { needle: '==', pattern: known('(?<![A-Za-z0-9+/=-])[A-Za-z0-9+/]{86}==(?![A-Za-z0-9+/=])') },
  // A bootstrap token of Kubernetes, matched from its dot, because dots are far rarer than words of six letters.
  {
    pattern: known(`(?<=${START}[a-z0-9]{6})\\.[a-z0-9]{16}(?![A-Za-z0-9_.-])`),
    before: 6,
    accepts: isBootstrapToken,
  },
  {
    pattern: known(`\\b(?:token|secret|bearer)[ \\t]{1,5}${IS}[ \\t]{1,5}["'\`]?${BARE}`, 'gi'),
    accepts: isSecretWord,
  },
  {
    needle: /token[ \t]{1,5}["'`]/i,
    pattern: known(
      `\\b(?:invalid|bad|wrong|rejected|expired|using|with)[ \\t]{1,5}token[ \\t]{1,5}["'\`]${BARE}["'\`]`,
      'gi',
    ),
    accepts: isSecretWord,
  },
];

export const SSH_KEYS: readonly KnownSecret[] = [
  {
    pattern: known(
      `${START}(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\\.com)[ \\t]{1,4}AAAA[A-Za-z0-9+/]{16,}={0,3}`,
    ),
  },
];

const password = (source: string, accepts: (secret: string) => boolean): KnownSecret => ({
  needle: PASSWORD_NEEDLE,
  pattern: known(source, 'gi'),
  accepts,
});

export const PASSWORDS: readonly KnownSecret[] = [
  ...KNOWN_PLACES,
  {
    needle: '$',
    pattern: known(
      '(?<![\\w$])[$]{1,2}(?:[156y7]|2[abxy]|apr1|gy|argon2(?:id|i|d)|pbkdf2-sha\\d+)[$]{1,2}[./A-Za-z0-9$,=+-]{16,}',
    ),
  },
  { needle: '*', pattern: known('(?<![\\w*])\\*[0-9A-F]{40}(?!\\w)') },
  {
    // A chosen password, with letters of both cases and a digit, up to two words after a password's name.
    needle: PASSWORD_NEEDLE_SHORT,
    pattern: known(
      "(?:[Pp]ass(?:w(?:or)?d|phrase)?|PASS(?:W(?:OR)?D)?|SecureString)[ \\t]{1,5}(?:[\\w.@'%-]{1,40}[ \\t]{1,5}){0,2}?(?:=[ \\t]{0,5})?[\"']?(?=[^\\s\"']{0,60}[A-Z])(?=[^\\s\"']{0,60}[a-z])(?=[^\\s\"']{0,60}\\d)([^\\s\"'`<>(){}\\[\\],;:]{8,200})",
    ),
    accepts: isSecretWord,
  },
  BASIC_LOGIN,
  password(`${PASSWORD_WORD}[ \\t]{1,5}(?:${IS}[ \\t]{1,5})?["'\`]([^"'\`\\s]{1,200})["'\`]`, isNotStandIn),
  password(`${PASSWORD_WORD}[ \\t]{1,5}${IS}[ \\t]{1,5}${BARE}`, isSecretWord),
  password(`\\b(?:with|using|use|set|the)[ \\t]{1,5}${PASSWORD_WORD}[ \\t]{1,5}${BARE}`, isSecretWord),
  password(`${PASSWORD_WORD}[ \\t]{1,5}${BARE}(?=[ \\t]{1,5}(?:rejected|refused|failed))`, isSecretWord),
  password(
    '\\b(?:machine[ \\t]{1,9}[^\\s]{1,200}|default)\\s{1,40}login\\s{1,9}[^\\s]{1,100}\\s{1,40}password\\s{1,9}([^\\s]{1,200})',
    isNotStandIn,
  ),
  password('\\blogin[ \\t]{1,9}[^\\s]{1,100}[ \\t]{1,9}password[ \\t]{1,9}([^\\s]{1,200})', isNotStandIn),
];

export const ENCODED_PEM: readonly KnownSecret[] = [
  { pattern: known('(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi[A-Za-z0-9+/]{16,}={0,2}') },
];

export const ENCODED_PRIVATE_KEYS: readonly KnownSecret[] = ENCODED_PEM.map(({ pattern }) => ({
  pattern,
  accepts: (secret) => Buffer.from(secret.slice(0, 80), 'base64').toString('latin1').includes('PRIVATE KEY'),
}));

/** Matches words with digits that are no secrets: algorithms, versions, encodings. */
const TECHNICAL =
  /^(?:sha-?\d|md\d|bcrypt|scrypt|argon2|pbkdf2|base\d\d|utf-?\d|aes-?\d|rsa-?\d|hs\d|rs\d|oauth|v\d+(?:\.|$)|[23]fa|\d+[-a-z]*$|rfc|x509|http|k8s)/i;

/** True if a word of a sentence is the secret. A word without digits only describes the secret. */
function isSecretWord(secret: string): boolean {
  const word = secret.replace(/[.:!?]+$/, '');
  return hasDigitAndLetter(word) && !TECHNICAL.test(word) && isNotStandIn(word);
}

function isNotStandIn(secret: string): boolean {
  return !isStandIn(secret) && !secret.startsWith('[MASKED_');
}

function hasDigitAndLetter(secret: string): boolean {
  return /\d/.test(secret) && /[A-Za-z]/.test(secret);
}

/** True if base64 decodes to a login. Short text must decode to ASCII, because a colon by chance is frequent there. */
function isBasicLogin(secret: string): boolean {
  return secret.length < 12
    ? isEncodedLogin(secret)
    : Buffer.from(secret, 'base64').toString('latin1').includes(':');
}

function isBootstrapToken(secret: string): boolean {
  const [id = '', rest = ''] = secret.split('.');
  return [id, rest].every((part) => /\d/.test(part) && /[a-z]/.test(part));
}
