import { expect, it } from 'vitest';
import { expectLinear } from '../../../test/helpers/cpu-time.ts';
import { readAnsi } from './ansi.ts';

const E = '\u001b';

it('removes codes and returns the ranges they coloured', () => {
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
  ['cursor movements', `a${E}[2Kb${E}[10;3Hc`],
  ['window titles', `a${E}]0;title\u0007bc`],
  ['colours of other palettes', `a${E}[38;5;31mb${E}[48;2;31;1;1mc`],
  ['an empty colour code', `abc${E}[m`],
])('removes %s', (_what, text) => {
  expect(readAnsi(text)).toEqual({ plain: 'abc', runs: [] });
});

it.each([`${E}]`, `${E}[31`])('takes linear time on hostile input: %j', (part) => {
  expectLinear((size) => part.repeat(size), readAnsi, 200_000);
});

it('removes hostile input', () => {
  expect(readAnsi(`${E}]`.repeat(200_000)).plain.length).toBeLessThan(400_001);
  expect(readAnsi(`${E}[31`.repeat(200_000)).runs).toEqual([]);
});
