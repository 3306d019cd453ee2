import { expect, test } from 'vitest';
import { compareResults } from './compare.ts';
import type { ResultItem, Results } from './results.ts';
import { confidenceInterval, outcomesOf, renderJunit, renderTable } from './summary.ts';

type Short = [name: string, passed: boolean | null, more?: Partial<ResultItem>];

function resultsOf(runs: number, ...items: Short[]): Results {
  const names = [...new Set(items.map(([name]) => name))];
  return {
    ...{ format: 'tarsy-replays', version: 1, suiteId: '019ac0f2-7d3e-4a51-b3a5-5a2c6a3f9d10' },
    plan: { cases: names.map((name) => ({ name, id: name })), providers: [null], runs },
    results: items.map(([name, passed, more], index) => ({
      ...{ case: name, provider: null, run: index + 1, replayId: String(index), status: 'COMPLETED', passed },
      ...{ confidentlyWrong: false, unrecordedCalls: 0, model: 'm', configHash: 'h', verdict: null },
      ...{ confidence: null, evidenceScore: null, costUsd: 0.1, tokens: 10, durationMs: 1000, checks: [] },
      ...more,
    })),
  };
}

const outcomes = (results: Results, atLeast: number) =>
  outcomesOf(results, atLeast).map(({ outcome }) => outcome);

test('a case passes with k of n runs, unless a run was confidently wrong', () => {
  const mixed = resultsOf(3, ['a', true], ['a', true], ['a', false]);
  expect([outcomes(mixed, 2), outcomes(mixed, 3)]).toEqual([['PASSED'], ['FAILED']]);
  expect(outcomes(resultsOf(3, ['a', true], ['a', true], ['a', null]), 3)).toEqual(['INCONCLUSIVE']);
  const wrong = resultsOf(3, ['a', true], ['a', true], ['a', false, { confidentlyWrong: true }]);
  expect(outcomes(wrong, 1)).toEqual(['FAILED']);
  expect(renderTable(wrong, 1)).toContain('2 of 3 passed (67 %, 95 % interval 21 % to 94 %)');
  expect(renderTable(wrong, 1)).toContain('confidently wrong: 1');
});

test('the confidence interval is that of Wilson', () => {
  const [low, high] = confidenceInterval(8, 10);
  expect([low.toFixed(3), high.toFixed(3)]).toEqual(['0.490', '0.943']);
  expect(confidenceInterval(0, 0)).toEqual([0, 1]);
});

test('a comparison names what is worse first, and what is dearer or slower', () => {
  const before = resultsOf(1, ['a', true], ['b', false], ['c', true]);
  const now = resultsOf(1, ['a', false], ['b', true], ['c', true, { costUsd: 0.2, durationMs: 500 }]);
  const { worse, text } = compareResults(now, before);
  expect(worse).toBe(1);
  const lines = text.trim().split('\n');
  expect(lines[0]).toBe('Compared with the earlier results: 1 worse, 1 better, 1 same, 0 undecided.');
  expect(lines.slice(2).map((line) => line.split(/\s+/).slice(0, 2).join(' '))).toEqual([
    'worse a',
    'better b',
    'same c',
  ]);
  expect(text).toContain('dearer ($0.10 → $0.20), faster (1.0 s → 0.5 s)');
});

test('JUnit escapes texts of models', () => {
  const check = { name: 'verdict', passed: false, detail: '<b> & "x" \u0007' };
  const xml = renderJunit(resultsOf(1, ['a', false, { checks: [check] }]), 1);
  expect(xml).toContain('verdict: &lt;b&gt; &amp; &quot;x&quot; \ufffd</failure>');
  expect(xml).toContain('tests="1" failures="1" skipped="0"');
});
