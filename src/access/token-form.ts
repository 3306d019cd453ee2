import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The prefix of a token, known to secret scanners. */
const MARK = 'tarsy_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Random characters of a token: 238 bits. */
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${MARK}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** Number of leading characters that are stored and shown, so that a token can be recognised. */
const PREFIX_LENGTH = MARK.length + 6;

/** Generates a token: `tarsy_`, random letters and digits, and a checksum over these. */
export function makeToken(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => DIGITS[randomInt(DIGITS.length)]).join('');
  return `${MARK}${random}${checksum(random)}`;
}

/** True if a text claims to be a TARSy token. */
export function looksLikeToken(text: string): boolean {
  return text.startsWith(MARK);
}

/** True if a text has the form and the checksum of a token, so that mistyped tokens need no database query. */
export function isToken(text: string): boolean {
  const [, random, given] = FORM.exec(text) ?? [];
  return random !== undefined && checksum(random) === given;
}

/** Returns the stored hash of a token. SHA-256 suffices because tokens are random: a slow hash would add no protection. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function prefixOfToken(token: string): string {
  return token.slice(0, PREFIX_LENGTH);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit += 1) {
    text = `${DIGITS[rest % DIGITS.length]}${text}`;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
}
