import { expect, test } from 'vitest';
import { factText, otherProblems } from './fact-text.ts';

const fact = { subject: 'web-1', attribute: 'restarts', value: '17', negated: false };
const nothing = { unit: null, window: null, filter: null };

test.each([
  [{}, 'web-1 · restarts = 17'],
  [{ attribute: 'web-1' }, 'web-1 = 17'],
  [{ unit: 'times' }, 'web-1 · restarts = 17 times'],
  [{ attribute: 'ready', value: 'true', negated: true }, 'web-1 · ready = not true'],
  [{ subject: 'errors', attribute: 'absent', value: '' }, 'no errors found'],
  [{ subject: 'errors', attribute: 'absent', value: '', negated: true }, 'errors found'],
  [{ subject: 'errors', attribute: 'absent', value: '', filter: 'web-1' }, 'no errors found (web-1)'],
  [
    { subject: 'errors', attribute: 'absent', value: '', window: 'last 10 min', filter: 'web-1' },
    'no errors found (last 10 min; web-1)',
  ],
])('%o is shown as %s', (change, text) => {
  expect(factText({ ...fact, ...nothing, ...change })).toBe(text);
});

test('the problems of facts are not repeated at their claim', () => {
  const facts = [{ problem: 'No 17 ($&).' }, { problem: null }, { problem: 'No 18.' }];
  expect(otherProblems(null, facts)).toBeNull();
  expect(otherProblems('No 17 ($&). No 18.', facts)).toBeNull();
  expect(otherProblems('No 17 ($&). T3 is empty. No 18.', facts)).toBe('T3 is empty.');
  expect(otherProblems('No 17 ($&).', [])).toBe('No 17 ($&).');
});
