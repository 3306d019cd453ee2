import { describe, expect, test } from 'vitest';
import { MASKING_GROUP_PATTERNS } from '../config/masking-names.ts';
import { maskPatterns } from './patterns.ts';

const BY_DEFAULT = new Set([...MASKING_GROUP_PATTERNS.security, 'kubernetes_secret' as const]);
const mask = (text: string) => maskPatterns(text, BY_DEFAULT);

const NAMES = [
  'password',
  'db_password',
  'DB_PASSWORD',
  'clientSecret',
  'api_key',
  'apiKey',
  'auth-token',
  'SESSION_KEY',
  'APISECRET',
];
const SECRETS = ['RealPw77xxQ1vT9zKm4', 'q7Xw9+Lm2/Zt5Rb8Nc3V', 'Hy6!kPz2@Wn8#Tq4$Bv9'];
const QUOTES = ['"', "'"];
const WRAPPERS: readonly ((quoted: string) => string)[] = [
  (quoted) => quoted,
  (quoted) => `Some(${quoted})`,
  (quoted) => `SecretStr(${quoted})`,
  (quoted) => `Optional.of(${quoted})`,
  (quoted) => `Some(Secret(${quoted}))`,
  (quoted) => `Token(value=${quoted})`,
  (quoted) => `new Password(${quoted})`,
  (quoted) => `SecretBytes(b${quoted})`,
  (quoted) => `Secret { value: ${quoted} }`,
  (quoted) => `<<${quoted}>>`,
  (quoted) => `Path(${quoted})`,
  (quoted) => `Some(\n        ${quoted},\n    )`,
];
const LINES: readonly ((name: string, value: string) => string)[] = [
  (name, value) => `Settings(${name}=${value}, debug=False)`,
  (name, value) => `Config { listen: "0.0.0.0:80", ${name}: ${value}, retries: 3 }`,
  (name, value) => `${name}: ${value}`,
  (name, value) => `{"${name}":${value},"port":5432}`,
  (name, value) => `[{${name},${value}},{port,5432}]`,
];
const ESCAPES: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'in JSON': (text) => JSON.stringify({ log: text }),
  'in JSON in JSON': (text) => JSON.stringify({ log: JSON.stringify({ text }) }),
  'in HTML': (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
  coloured: (text) => text.replaceAll(/["']([^"']*)["']/g, (quoted) => `\u001b[32m${quoted}\u001b[0m`),
};

/** Returns a part of a secret of at least 4 characters that a text still shows, or `null`. */
function rest(text: string, secret: string): string | null {
  for (let at = 0; at + 4 <= secret.length; at++) {
    const part = secret.slice(at, at + 4);
    if (text.includes(part)) return part;
  }
  return null;
}

describe.each(Object.entries(ESCAPES))('%s', (_, escaped) => {
  test.each(NAMES)('no part of the value of %s stands beside its mask', (name) => {
    const shown: string[] = [];
    for (const secret of SECRETS)
      for (const quote of QUOTES)
        for (const wrap of WRAPPERS)
          for (const line of LINES) {
            const text = escaped(line(name, wrap(quote + secret + quote)));
            const masked = mask(text);
            if (rest(masked, secret) !== null || mask(masked) !== masked) shown.push(`${text} => ${masked}`);
          }
    expect(shown).toEqual([]);
  });
});

test.each([
  `password=abc7'RealPw77'x9`,
  `password='it'"'"'sRealPw77'`,
  `password: "RealPw"77xx`,
  `--password RealPw'77xx'`,
  `export DB_PASSWORD="RealPw"'77xx'`,
])('masks a token with quotes inside up to its end: %s', (text) => {
  expect(mask(text)).toMatch(/^(?:[\w-]+(?:=|: | )|export DB_PASSWORD=)["']?\[MASKED_PASSWORD\]["']?$/);
});
