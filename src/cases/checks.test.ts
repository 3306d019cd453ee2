import { expect, test } from 'vitest';
import { checkReplay } from './checks.ts';
import type { CaseExpectation } from './document.ts';

const check = (expect: Partial<CaseExpectation>, entities: string[]) =>
  checkReplay(
    {
      world: 'closed',
      max_unrecorded_calls: 5,
      expect: { must_say: [], must_not_say: [], entities: [], causes: [], ...expect },
    },
    {
      status: 'COMPLETED',
      errorMessage: null,
      report: { verdict: 'NO_ACTION', headline: 'Fine', confidence: 0.5, entities, claims: [] },
      cause: null,
      unrecordedCalls: 0,
    },
  ).passed;

test.each([
  ['web-1', 'web-1'],
  ['web-1', 'Pod  Web-1'],
  ['web-1', 'Deployment shop/web-1'],
  ['/var/lib/pg', 'path /var/lib/pg'],
  ['https://example.com/health', 'url https://example.com/health'],
])('the entity %s is named by %s', (wanted, named) => {
  expect(check({ entities: [wanted] }, ['other', named])).toBe(true);
});

test.each([
  ['web-1', 'web-12'],
  ['web-1', 'my-web-1'],
  ['pg', 'path /var/lib/pg'],
])('the entity %s is not named by %s', (wanted, named) => {
  expect(check({ entities: [wanted] }, [named])).toBe(false);
});
