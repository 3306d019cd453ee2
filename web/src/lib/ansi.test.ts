import { expect, it } from 'vitest';
import { readAnsi } from './ansi.ts';

const E = '\u001b';

it('takes codes out, and says what they coloured', () => {
  expect(readAnsi(`${E}[31mred ${E}[1mand bold${E}[0m plain ${E}[92mgreen`)).toEqual({
    plain: 'red and bold plain green',
    runs: [
      { color: 'red', bold: false, start: 0, end: 4 },
      { color: 'red', bold: true, start: 4, end: 12 },
      { color: 'green', bold: false, start: 19, end: 24 },
    ],
  });
});

it.each([
  ['a cursor that moves', `a${E}[2Kb${E}[10;3Hc`],
  ['the name of a window', `a${E}]0;title\u0007bc`],
  ['the numbers of other palettes', `a${E}[38;5;31mb${E}[48;2;31;1;1mc`],
  ['a code that is cut off', `abc${E}[m`],
])('shows nothing of %s', (_what, text) => {
  expect(readAnsi(text)).toEqual({ plain: 'abc', runs: [] });
});

it('is linear in what is hostile', () => {
  const began = performance.now();
  expect(readAnsi(`${E}]`.repeat(200_000)).plain.length).toBeLessThan(400_001);
  expect(readAnsi(`${E}[31`.repeat(200_000)).runs).toEqual([]);
  expect(performance.now() - began).toBeLessThan(2_000);
});
