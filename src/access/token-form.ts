import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Prefix of every token, so that secret scanners recognize tokens. */
const MARK = 'tarsy_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 40; // 40 random digits of base 62, which is 238 bits
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${MARK}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** Number of leading characters of a token that are stored and shown, so that users can recognize the token. */
const PREFIX_LENGTH = MARK.length + 6;

export function makeToken(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => DIGITS[randomInt(DIGITS.length)]).join('');
  return `${MARK}${random}${checksum(random)}`;
}

export function looksLikeToken(text: string): boolean {
  return text.startsWith(MARK);
}

/** True if format and checksum are correct, so that mistyped tokens need no database query. */
export function isToken(text: string): boolean {
  const [, random, given] = FORM.exec(text) ?? [];
  return random !== undefined && checksum(random) === given;
}

/** Returns the hash to store instead of the token. SHA-256 suffices, because tokens are too random to be guessed. */
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
