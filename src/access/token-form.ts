import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** By this scanners of secrets know what they found. */
const MARK = 'tarsy_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 238 bits. */
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${MARK}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** Characters by which its holder knows a token again. */
const PREFIX_LENGTH = MARK.length + 6;

/** A token: `tarsy_`, random letters and digits, and a checksum over these. */
export function makeToken(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => DIGITS[randomInt(DIGITS.length)]).join('');
  return `${MARK}${random}${checksum(random)}`;
}

/** Whether a text means to be a token of ours. */
export function looksLikeToken(text: string): boolean {
  return text.startsWith(MARK);
}

/** Whether it can be one: a wrong one is known without asking the database. */
export function isToken(text: string): boolean {
  const [, random, given] = FORM.exec(text) ?? [];
  return random !== undefined && checksum(random) === given;
}

/** All that is kept of a token besides its first characters. It is random: a slow hash would protect nothing more. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function prefixOfToken(token: string): string {
  return token.slice(0, PREFIX_LENGTH);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    text = `${DIGITS[rest % DIGITS.length]}${text}`;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
}
