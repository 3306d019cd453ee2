import { expect, test } from 'vitest';
import { parseSearch, restOfStep } from './session-search.ts';

test.each([
  ['disk full', ['part disk +', 'part full +']],
  ['  disk\n\tdisk ', ['part disk +']],
  ['payments-api-7d9f 10.0.12', ['part payments-api-7d9f', 'phrase 10.0.12']],
  ['io no', ['start io', 'start no']],
  ['100%_full a_b 1%f', ['part 100%_full', 'phrase a_b', 'phrase 1%f']],
  ['"disk is full" now', ['phrase disk is full', 'part now +']],
  ['"disk" "10.1" "no"', ['part disk +', 'phrase 10.1', 'start no']],
  ['pod="x y" "open', ['part pod="x', 'phrase y"', 'part "open']],
  ['磁盘 磁盘满了', ['start 磁盘', 'part 磁盘满了 +']],
  ['& | ! <->', ['phrase &', 'phrase |', 'phrase !', 'phrase <->']],
  ['"" " "', ['phrase ""', 'phrase  ']],
  [' \n ', []],
])('%j is parsed into %j', (search, expected) => {
  const shown = parseSearch(search).map(
    (term) => `${term.kind} ${term.text}${term.kind === 'part' && term.stem ? ' +' : ''}`,
  );
  expect(shown).toEqual(expected);
});

test.each([
  [0, 100],
  [1.5, 98.5],
  [99.5, 0.5],
  [100, 100],
  [250, 50],
])('a search of %d ms waits %d ms, so that its time tells only the step', (elapsed, rest) => {
  expect(restOfStep(elapsed)).toBe(rest);
});
