import { expect, test } from 'vitest';
import { parseAlertArgs } from './args.ts';
import { CliError } from './errors.ts';

const parse = (argv: string[], env: Record<string, string> = {}, stdinIsTerminal = true) =>
  parseAlertArgs(argv, env, stdinIsTerminal);

test('reads the alert and its options', () => {
  expect(parse(['disk', 'full', '--type', 'host', '--runbook', 'https://e.org/r.md', '--json'])).toEqual({
    source: { kind: 'text', text: 'disk full' },
    alertType: 'host',
    runbookUrl: 'https://e.org/r.md',
    json: true,
    url: new URL('http://127.0.0.1:8080/graphql'),
    token: null,
  });
});

test.each([
  ['tarsy_x\n', 'tarsy_x'],
  ['', null],
])('takes the token %j from the environment', (given, token) => {
  expect(parse(['x'], { TARSY_TOKEN: given })?.token).toBe(token);
});

test('accepts no token as an argument and does not repeat an invalid one', () => {
  expect(() => parse(['x', '--token', 'tarsy_x'])).toThrow("Unknown option '--token'");
  expect(() => parse(['x'], { TARSY_TOKEN: 'tarsy_x y' })).toThrow(/^TARSY_TOKEN has characters that no/);
});

test.each([
  [['--file', 'a.json'], true, { kind: 'file', path: 'a.json' }],
  [['--file', '-'], true, { kind: 'stdin' }],
  [[], false, { kind: 'stdin' }],
])('%j takes the alert from its source', (argv, stdinIsTerminal, source) => {
  expect(parse(argv, {}, stdinIsTerminal)?.source).toEqual(source);
});

test.each([
  [['x', '--url', 'http://h:1'], {}, 'http://h:1/graphql'],
  [['x', '--url', 'http://h:1/api/graphql'], { TARSY_URL: 'http://e/graphql' }, 'http://h:1/api/graphql'],
  [['x'], { TARSY_URL: 'https://e' }, 'https://e/graphql'],
  [['x', '--url', 'https://h/tarsy/'], {}, 'https://h/tarsy/graphql'],
  [['x', '--url', 'https://h/tarsy/graphql/'], {}, 'https://h/tarsy/graphql'],
  [['x'], { TARSY_URL: 'https://e/' }, 'https://e/graphql'],
  [['x'], { TARSY_URL: 'https://e/graphql/' }, 'https://e/graphql'],
  [['x'], { TARSY_URL: 'https://e/tarsy' }, 'https://e/tarsy/graphql'],
  [['x'], { TARSY_URL: 'https://e/tarsy//' }, 'https://e/tarsy/graphql'],
  [['x'], { TARSY_URL: 'https://e/tarsy/graphql/#x' }, 'https://e/tarsy/graphql'],
  [['x'], { TARSY_URL: '' }, 'http://127.0.0.1:8080/graphql'],
])('%j with %j goes to %s', (argv, env, url) => {
  expect(parse(argv, env)?.url.href).toBe(url);
});

test.each([
  [[], 'No alert given. Give its text, or --file PATH.'],
  [['x', '--file', 'y'], 'Give the alert as text or with --file, not both.'],
  [['x', '--url', 'ftp://e'], '"ftp://e" is not an http(s) URL.'],
  [
    ['x', '--url', 'https://u:geheim@e'],
    /^TARSY_URL and --url must not contain a user or password\. Put a token/,
  ],
  [['x', '--url', 'nonsense'], '"nonsense" is not an http(s) URL.'],
  [['x', '--nope'], /Unknown option '--nope'/],
])('%j is a usage error', (argv, message) => {
  expect(() => parse(argv)).toThrow(CliError);
  expect(() => parse(argv)).toThrow(message);
});
