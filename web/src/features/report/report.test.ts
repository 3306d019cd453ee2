import { expect, test } from 'vitest';
import { parseReportHash, reportHash } from './report-hash.ts';
import { evidenceText, otherProblems, trackRecordText } from './report-text.ts';

test('a URL hash names a claim, or one of its citations', () => {
  for (const position of [
    { answer: null, claim: 3, citation: null },
    { answer: null, claim: 12, citation: 1 },
    { answer: 4, claim: 3, citation: null },
    { answer: 4, claim: 3, citation: 2 },
  ])
    expect(parseReportHash(reportHash(position))).toEqual(position);
  for (const hash of ['', '#event-3', '#claim-', '#claim-3-', '#claim-3-1-2', '#answer-claim-1', '#claim-x'])
    expect(parseReportHash(hash)).toBeNull();
});

test('the track record and the evidence are described in figures', () => {
  const record = { reviewed: 27, accurate: 24, partiallyAccurate: 2, inaccurate: 1 };
  expect(trackRecordText(record)).toBe(
    '24 of 27 reviewed reports like this were right (2 partly right, 1 wrong).',
  );
  expect(trackRecordText({ reviewed: 0, accurate: 0, partiallyAccurate: 0, inaccurate: 0 })).toBe(
    'No reports like this have been reviewed yet.',
  );
  const claims = [
    { kind: 'CAUSE', status: 'SUPPORTED' },
    { kind: 'OBSERVATION', status: 'UNSUPPORTED' },
    { kind: 'GAP', status: 'NOT_CHECKABLE' },
    { kind: 'RULED_OUT', status: 'SUPPORTED' },
  ] as never;
  expect(evidenceText({ claims, evidenceScore: 0.5 })).toMatch(
    /^1 of 2 causes and observations .* \(50 %\)\.$/,
  );
  expect(evidenceText({ claims, evidenceScore: null })).toBeNull();
});

test('the problems of facts are not repeated at the claim', () => {
  const facts = [{ problem: 'No 17 ($&).' }, { problem: null }, { problem: 'No 18.' }];
  expect(otherProblems({ problem: null, facts })).toBeNull();
  expect(otherProblems({ problem: 'No 17 ($&). No 18.', facts })).toBeNull();
  expect(otherProblems({ problem: 'No 17 ($&). T3 is empty. No 18.', facts })).toBe('T3 is empty.');
  expect(otherProblems({ problem: 'No 17 ($&).', facts: [] })).toBe('No 17 ($&).');
});
