import { expect, test } from 'vitest';
import { createLoopDetector, LoopDetectedError, repeatedEnding } from './loop-detector.ts';

const passage = 'I should check the disk usage of the node again. ';

test('finds a passage that repeats to the end, even if the repetition began in the middle', () => {
  expect(repeatedEnding(`Something else first. ${passage.repeat(5)}`)).toHaveLength(passage.length);
  expect(repeatedEnding(passage.repeat(6).slice(7))).toHaveLength(passage.length);
});

test('takes a ruler for a loop once it is far longer than a screen is wide', () => {
  expect(repeatedEnding('='.repeat(3_100))).toHaveLength(30);
});

test.each([
  ['four times only', passage.repeat(4)],
  ['rulers', `| a | b |\n|${'-'.repeat(400)}|`],
  ['long rulers', '='.repeat(1500)],
  [
    'a table with rows that differ',
    Array.from({ length: 60 }, (_, n) => `| pod-${n} | Running | 0 restarts | node-${n % 7} |\n`).join(''),
  ],
  ['white space', ' '.repeat(3000)],
  ['nothing', ''],
])('%s is no loop', (_, text) => {
  expect(repeatedEnding(text)).toBeNull();
});

test('cuts a looping stream within a few thousand characters, and no other', () => {
  const detector = createLoopDetector();
  const loop = () => {
    for (let n = 0; n < 1000; n++) detector.add(passage);
  };
  expect(loop).toThrow(LoopDetectedError);
  const calm = createLoopDetector();
  for (let n = 0; n < 5000; n++) calm.add(`Line ${n}: value ${n * 7919} differs. `);
});
