import { expect, test } from 'vitest';
import { isByRules } from './by-rules.ts';

test.each([
  [{ verdict: 'ACTION_NEEDED', confidence: null }, true],
  [{ verdict: 'ACTION_NEEDED', confidence: 0.8 }, false],
  [{ verdict: 'ACTION_NEEDED', confidence: 0 }, false],
  [{ verdict: null, confidence: null }, false],
  [{ verdict: 'ACTION_NEEDED' }, false],
])('the report of %j is by the offline rules: %s', (session, is) => {
  expect(isByRules(session)).toBe(is);
});
