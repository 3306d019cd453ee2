import { expect, test } from 'vitest';
import { compareClaims } from './compare-claims.ts';
import type { ClaimView } from './views.ts';

const claim = (kind: string, text: string, ...facts: [string, string, string][]): ClaimView =>
  ({
    ...{ kind, text, citations: [], status: 'SUPPORTED', sessionId: 's', owner: 's', place: 1 },
    facts: facts.map(([subject, attribute, value]) => ({
      ...{ subject, attribute, value, unit: null, negated: false, citation: 0 },
    })),
  }) as unknown as ClaimView;

const texts = (sessions: ClaimView[][]) =>
  compareClaims(sessions).map(({ claims }) => claims.map((each) => each?.text ?? null));

test('matches claims by their facts, whatever their words', () => {
  const first = claim('CAUSE', 'The pool has 5 connections.', ['checkout', 'pool', '5']);
  const same = claim('CAUSE', 'Too few connections', ['Checkout', 'pool', '5']);
  const other = claim('CAUSE', 'The pool has 50 connections.', ['checkout', 'pool', '50']);
  expect(texts([[first], [other, same]])).toEqual([
    ['The pool has 5 connections.', 'Too few connections'],
    [null, 'The pool has 50 connections.'],
  ]);
  expect(texts([[first], [other]])).toEqual([
    ['The pool has 5 connections.', 'The pool has 50 connections.'],
  ]);
});

test('matches claims without common facts by their text, but not claims of different kinds', () => {
  const a = claim('OBSERVATION', 'Disk  is full!');
  const b = claim('OBSERVATION', 'disk is full');
  const advice = claim('RECOMMENDATION', 'Disk is full!');
  expect(texts([[a], [advice, b]])).toEqual([
    ['Disk  is full!', 'disk is full'],
    [null, 'Disk is full!'],
  ]);
});

test('leaves a place empty for a session without the claim', () => {
  expect(texts([[claim('GAP', 'a')], [], [claim('GAP', 'A.')]])).toEqual([['a', null, 'A.']]);
});
