import type { Mask } from './masks.ts';

/** A secret that shows by its own form. The first group is masked, or the whole match when there is none. */
export interface KnownSecret {
  pattern: RegExp;
  /** Refuses matches that have the form by chance. */
  accepts?: (secret: string, text: string, at: number) => boolean;
}

/*
 * Every expression either starts where no run of its characters can go on to the left (the look-behind) or has
 * bounded repetitions, so that the work grows with the length of the text only.
 */
const START = '(?<![A-Za-z0-9_-])';
const known = (source: string, flags = 'g'): RegExp => new RegExp(source, flags);

export const GITHUB_TOKENS: readonly KnownSecret[] = [
  { pattern: known('(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})') },
];

export const SLACK_TOKENS: readonly KnownSecret[] = [
  { pattern: known('(?<![A-Za-z0-9])xox[a-z]-[A-Za-z0-9-]{10,}|(?<![A-Za-z0-9])xapp-[A-Za-z0-9-]{10,}') },
  { pattern: known('hooks\\.slack\\.com/(?:services|workflows)/([A-Za-z0-9/_-]{16,})') },
];

export const AWS_ACCESS_KEYS: readonly KnownSecret[] = [
  { pattern: known('(?<![A-Za-z0-9+/])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9+/])') },
];

export const API_KEYS: readonly KnownSecret[] = [
  { pattern: known(`${START}sk-(?:proj-|ant-|or-|svcacct-)?[A-Za-z0-9_-]{20,}`), accepts: hasDigitAndLetter },
  { pattern: known(`${START}AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])`) },
  { pattern: known(`${START}(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}`) },
  { pattern: known(`${START}SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,}`) },
  { pattern: known(`${START}xai-[A-Za-z0-9]{20,}`) },
];

export const TOKENS: readonly KnownSecret[] = [
  { pattern: known(`${START}eyJ[A-Za-z0-9_-]{6,}\\.eyJ[A-Za-z0-9_-]{4,}(?:\\.[A-Za-z0-9_-]*)?`) },
  { pattern: known('\\bBearer[ \\t]{1,4}([A-Za-z0-9._~+/-]{16,}=*)', 'gi'), accepts: hasDigitAndLetter },
  { pattern: known('\\bBasic[ \\t]{1,4}([A-Za-z0-9+/]{8,}={0,2})', 'gi'), accepts: isBasicLogin },
  { pattern: known(`${START}(?:glpat|gldt|glrt|glsoat)-[A-Za-z0-9_-]{20,}`) },
  { pattern: known(`${START}npm_[A-Za-z0-9]{30,}`) },
  { pattern: known(`${START}pypi-[A-Za-z0-9_-]{50,}`) },
  { pattern: known(`${START}hv[sbr]\\.[A-Za-z0-9_-]{20,}`) },
  { pattern: known(`${START}(?:dop|doo|dor)_v1_[a-f0-9]{40,}`) },
  { pattern: known(`${START}sha256~[A-Za-z0-9_-]{40,50}(?![A-Za-z0-9_-])`) },
  { pattern: known(`${START}[a-z0-9]{6}\\.[a-z0-9]{16}(?![A-Za-z0-9_.-])`), accepts: isBootstrapToken },
  ...GITHUB_TOKENS,
  ...SLACK_TOKENS,
];

export const SSH_KEYS: readonly KnownSecret[] = [
  {
    pattern: known(
      `${START}(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\\.com)[ \\t]{1,4}AAAA[A-Za-z0-9+/]{16,}={0,3}`,
    ),
  },
];

export const PASSWORDS: readonly KnownSecret[] = [
  {
    pattern: known(
      '(?<![\\w$])\\$(?:[156y7]|2[abxy]|apr1|gy|argon2(?:id|i|d)|pbkdf2-sha\\d+)\\$[./A-Za-z0-9$,=+-]{16,}',
    ),
  },
  { pattern: known('\\bBasic[ \\t]{1,4}([A-Za-z0-9+/]{8,}={0,2})', 'gi'), accepts: isBasicLogin },
  { pattern: known("\\b(?:identified[ \\t]{1,5}by|password)[ \\t]{1,5}'([^'\\n]{1,200})'", 'gi') },
  {
    pattern: known('\\b(?:requirepass|masterauth|sshpass[ \\t]-p)[ \\t]{1,5}["\']?([^\\s"\']{4,200})', 'gi'),
  },
  { pattern: known('\\blogin[ \\t]{1,9}[^\\s]{1,100}[ \\t]{1,9}password[ \\t]{1,9}([^\\s]{1,200})', 'gi') },
  {
    pattern: known(
      '(?<=\\s)(?:-u|--user|-U|--proxy-user)[ \\t=]{1,3}["\']?[^\\s:"\']{1,100}:([^\\s"\']{3,200})',
    ),
    accepts: isLoginFlag,
  },
];

/** Base64 of a PEM block. */
export const ENCODED_PEM: readonly KnownSecret[] = [
  { pattern: known('(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi[A-Za-z0-9+/]{16,}={0,2}') },
];

export const ENCODED_PRIVATE_KEYS: readonly KnownSecret[] = [
  {
    pattern: ENCODED_PEM[0]!.pattern,
    accepts: (secret) =>
      Buffer.from(secret.slice(0, 80), 'base64').toString('latin1').includes('PRIVATE KEY'),
  },
];

export function findKnown(text: string, secrets: readonly KnownSecret[], replacement: string): Mask[] {
  const masks: Mask[] = [];
  for (const { pattern, accepts } of secrets) {
    for (const match of text.matchAll(pattern)) {
      const secret = match[1] ?? match[0];
      const end = match.index + match[0].length;
      const start = match.index + match[0].lastIndexOf(secret);
      if (accepts && !accepts(secret, text, match.index)) continue;
      masks.push({ start, end: Math.min(end, start + secret.length), replacement });
    }
  }
  return masks;
}

function hasDigitAndLetter(secret: string): boolean {
  return /\d/.test(secret) && /[A-Za-z]/.test(secret);
}

function isBasicLogin(secret: string): boolean {
  return Buffer.from(secret, 'base64').toString('latin1').includes(':');
}

function isBootstrapToken(secret: string): boolean {
  const [id = '', rest = ''] = secret.split('.');
  return [id, rest].every((part) => /\d/.test(part) && /[a-z]/.test(part));
}

function isLoginFlag(secret: string, text: string, at: number): boolean {
  return (
    !/^\d+$/.test(secret) &&
    /\b(?:curl|wget|http|https|htpasswd)\b/.test(text.slice(Math.max(0, at - 200), at))
  );
}
