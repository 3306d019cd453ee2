import { isGenerated } from './generated.ts';
import type { Mask } from './masks.ts';
import { characterTable, eachRun } from './text.ts';

/**
 * Minimum length of a token, the examined part of a token, the distance before and after a token in which a
 * credential must be mentioned, and the length of the text before a token that may hold its name
 * (characters).
 */
const SHORTEST = 20;
const LONGEST_LOOK = 512;
const BEFORE = 240;
const AFTER = 60;
const LONGEST_NAME = 100;

const IN_TOKEN = characterTable(/[A-Za-z0-9+/_.~-]/);
const SPEAKS =
  /secret|passw|passphrase|[_ -]pwd|credential|token|bearer|(?:access|api|auth|private|session|license|account|sign(?:ing)?|[_-])[ _-]?keys?(?![a-z])|\bkey\d(?!\w)|\wkeys["']?[ \t]*:|MASKED_AWS_ACCESS_KEY|SecureString|-a bearer/i;
/** Matches the name directly before a value. */
const NAMED = /([\w.-]{1,60})["'\]]{0,2}[ \t]{0,20}(?:=>|[:=])[ \t]{0,20}["'(]{0,2}$/;
/** Matches the end of the separator between a name and its value. Faster than NAMED. */
const ENDS_NAME = /[:=>][ \t]{0,20}["'(]{0,2}$/;
/** Matches names that say nothing about their value, so that the text around decides. */
const GENERIC =
  /^(?:\w{0,20}value|string|content|default|data|result|key\d?|inline_string|item|text|s|to|is|password)$/i;

/** Finds generated tokens without a name of their own, on a line that mentions a credential. */
export function findSpoken(text: string, replacement: string): Mask[] {
  const masks: Mask[] = [];
  const speaks = new RegExp(SPEAKS, 'gi');
  let next = speaks.exec(text)?.index ?? Infinity;
  let last = -Infinity;
  /**
   * Moves `last` and `next` to the mentions around `to`. Reads the text once, because tokens come in order.
   */
  const advance = (to: number) => {
    for (; next < to; next = speaks.exec(text)?.index ?? Infinity) last = next;
  };
  eachRun(text, IN_TOKEN, SHORTEST, (start, runEnd) => {
    let end = runEnd;
    while (text[end] === '=' && end - runEnd < 2) end++;
    if (
      end - start >= SHORTEST_ENCODED &&
      holdsSecret(text.slice(start, Math.min(end, start + LONGEST_ENCODED)))
    ) {
      masks.push({ start, end, replacement });
      return;
    }
    const token = text.slice(start, Math.min(end, start + LONGEST_LOOK));
    if (!/[A-Z]/.test(token) || !/[a-z]/.test(token) || !/\d/.test(token)) return;
    advance(start);
    const near = start - last <= BEFORE ? text.slice(last, start) : null;
    advance(end);
    const after = next - end <= AFTER ? text.slice(end, next) : null;
    if (near === null && after === null) return;
    const before = text.slice(Math.max(0, start - LONGEST_NAME), start);
    if (/[@:/]$|(?:sha\d+|md5)[-:]$/i.test(before)) return; // a digest, a version or a part of an address
    const name = ENDS_NAME.test(before) ? NAMED.exec(before)?.[1] : undefined;
    if (name !== undefined && !GENERIC.test(name)) return;
    if (!isGenerated(token)) return;
    const isSpoken = near !== null && (name !== undefined || !near.includes('\n'));
    if (isSpoken || (after !== null && !after.includes('\n'))) masks.push({ start, end, replacement });
  });
  return masks;
}

/** Lengths of base64 that is decoded (characters). */
const SHORTEST_ENCODED = 32;
const LONGEST_ENCODED = 16_384;
const ENCODED_SECRET =
  /^[\t\n\r -~]*(?:"auth"\s*:|"?private_key|passw(?:or)?d|client-key-data|(?:token|secret)"?\s*[:=]|PRIVATE KEY-----)/i;

/** True if base64 decodes to text with credentials, such as a kubeconfig, a login for a registry or an account's key. */
function holdsSecret(run: string): boolean {
  if (!/^[A-Za-z0-9+/_-]{32,}={0,2}$/.test(run)) return false;
  return ENCODED_SECRET.test(Buffer.from(run, 'base64').toString('latin1'));
}
