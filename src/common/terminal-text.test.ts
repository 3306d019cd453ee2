import { expect, it } from 'vitest';
import { expectLinear } from '../../test/helpers/cpu-time.ts';
import { terminalText } from './terminal-text.ts';

const bar = (percent: number) => `Fetching ${percent}% [${'#'.repeat(percent / 10)}]`;

it.each([
  ['colours', '\u001b[31mfailed\u001b[0m: \u001b[1;38;5;9mno space\u001b[m', 'failed: no space'],
  ['true colours', '\u001b[38;2;255;100;100;48;2;10;10;10mlook\u001b[0m', 'look'],
  ['colours in 8 bits', '\u009b32mup\u009b0m', 'up'],
  ['a reset of tput', 'name\u001b(B\u001b[m=\u001b[32mweb\u001b(B\u001b[m', 'name=web'],
  ['a hidden cursor', '\u001b[?25lwaits\u001b[?25h', 'waits'],
  ['cursor moves', 'a\u001b[2K\u001b[1Gb\u001b[10;20Hc', 'abc'],
  [
    'a title and a link',
    '\u001b]0;title\u0007see \u001b]8;;http://a\u001b\\docs\u001b]8;;\u001b\\',
    'see docs',
  ],
  ['a title without an end', '\u001b]0;title\nnext', '\nnext'],
  ['a sequence that is cut off', 'end\u001b[3', 'end'],
  ['colours in JSON', String.raw`{"log":"\u001b[31mpanic\u001B[0m"}`, '{"log":"panic"}'],
  ['a progress bar', [10, 50, 100].map(bar).join('\r'), bar(100)],
  ['a progress bar with other lines', `start\n${bar(10)}\r${bar(20)}\r\nend`, `start\n${bar(20)}\nend`],
  ['a bar whose units change', '1.5 kB/s\r2.5 MB/s\rsaved', '2.5 MB/s\nsaved'],
  ['a spinner', '⠋\r⠙\r⠹\rdone', '⠹\ndone'],
  ['a line that is cleared', `${bar(90)}\r\u001b[Kready`, `${bar(90)}\nready`],
  ['texts that only carriage returns separate', 'first: 1\rsecond: 2', 'first: 1\nsecond: 2'],
  ['lines of Windows', 'a\r\nb\r\n', 'a\nb\n'],
  ['overstruck text', 'N\bNA\bAM\bME\bE', 'NAME'],
  ['an underlined text', '_\bo_\bk', 'ok'],
  ['backspaces at the start of a line', 'a\n\b\bb', 'a\nb'],
  ['plain text', 'größe: 5 [31m] C:\\u00e4 \\u001x', 'größe: 5 [31m] C:\\u00e4 \\u001x'],
])('folds %s', (_, text, shown) => {
  expect(terminalText(text)).toBe(shown);
});

it.each(['\u001b[', '\u001b]x', '\u009b1', '\r', '\b', '\\u001b[1', `${bar(10)}\r`])(
  'takes linear time for %j',
  (part) => {
    expectLinear((size) => part.repeat(size), terminalText, 100_000);
  },
);
