import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nightlyFiles, writeTrendPage } from './nightly.ts';
import { type Plan, type ResultItem, type Results, writeResults } from './results.ts';
import { renderTrendPage } from './trend-page.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tarsy-nightly-'));
});
afterEach(() => rm(folder, { recursive: true }));

const SUITE = '019ac0f2-7d3e-4a51-b3a5-5a2c6a3f9d10';
const PLAN: Plan = { cases: [{ name: 'disk', id: 'a' }], providers: ['one'], runs: 2 };

const item = (run: number, more: Partial<ResultItem> = {}): ResultItem => ({
  ...{ case: 'disk', provider: 'one', run, replayId: `r${run}`, status: 'COMPLETED', passed: true },
  ...{ confidentlyWrong: false, unrecordedCalls: 0, model: 'm', configHash: 'h', verdict: 'NO_ACTION' },
  ...{ confidence: 0.8, evidenceScore: 1, costUsd: 0.02, tokens: 10, durationMs: 1500, checks: [] },
  ...more,
});
const results = (items: ResultItem[], plan = PLAN): Results => ({
  ...{ format: 'tarsy-replays', version: 1, suiteId: SUITE, plan, results: items },
});
const store = (name: string, items: ResultItem[], plan = PLAN) =>
  writeResults(join(folder, name), results(items, plan));

const NOW = new Date('2026-11-03T02:00:05Z');
const chosen = async (plan = PLAN) => {
  const { out, previous } = await nightlyFiles(folder, plan, NOW);
  return [basename(out), previous && basename(previous)];
};

test('each run gets a file of its own, and is compared with the run before', async () => {
  expect(await chosen()).toEqual(['2026-11-03T02-00-05Z.json', null]);
  await store('2026-11-02T02-00-00Z.json', [item(1), item(2)]);
  await writeFile(join(folder, 'other.json'), 'not a result');
  expect(await chosen()).toEqual(['2026-11-03T02-00-05Z.json', '2026-11-02T02-00-00Z.json']);
});

test('an interrupted run is resumed if it is recent and has the same plan', async () => {
  await store('2026-11-02T02-00-00Z.json', [item(1), item(2)]);
  await store('2026-11-03T01-00-00Z.json', [item(1)]);
  expect(await chosen()).toEqual(['2026-11-03T01-00-00Z.json', '2026-11-02T02-00-00Z.json']);
  expect((await chosen({ ...PLAN, runs: 3 }))[0]).toBe('2026-11-03T02-00-05Z.json');
});

test('an interrupted run of another day is left as it is', async () => {
  await store('2026-11-02T02-00-00Z.json', [item(1)]);
  expect(await chosen()).toEqual(['2026-11-03T02-00-05Z.json', '2026-11-02T02-00-00Z.json']);
});

test('a folder that cannot be used and a broken result file are named', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(nightlyFiles(join(folder, 'file'), PLAN, NOW)).rejects.toMatchObject({
    code: 'FOLDER_UNUSABLE',
  });
  await writeFile(join(folder, '2026-11-02T02-00-00Z.json'), '{}');
  await expect(writeTrendPage(folder, 1)).rejects.toMatchObject({ code: 'RESULTS_INVALID' });
});

test('the page shows the newest run, its change, and each case over time', async () => {
  await store('2026-11-01T02-00-00Z.json', [item(1), item(2)]);
  const check = { name: 'verdict', passed: false, detail: 'NO_ACTION, expected ACTION_REQUIRED' };
  await store('2026-11-02T02-00-00Z.json', [
    item(1),
    item(2, { passed: false, confidentlyWrong: true, checks: [check] }),
  ]);
  const page = await readFile(await writeTrendPage(folder, 2), 'utf8');
  expect(page).toContain('Newest of 2 runs: 2026-11-02 02:00 UTC');
  expect(page).toContain('<td>1 of 2 (50 %)</td>');
  expect(page).toContain('<td>-50 points</td>');
  expect(page.match(/<span class="passed"[^>]*>✓ 2\/2<\/span>/g)).toHaveLength(1);
  expect(page).toContain('✗ 1/2 !</span>');
  expect(page).toContain('verdict: NO_ACTION, expected ACTION_REQUIRED');
  expect(page.match(/<circle /g)).toHaveLength(2);
});

test('texts of cases, providers and checks cannot become markup, and the page loads nothing', () => {
  const hostile = `"><script src=//evil.example>'&`;
  const plan: Plan = { cases: [{ name: hostile, id: 'a' }], providers: [hostile], runs: 1 };
  const checks = [{ name: hostile, passed: false, detail: hostile }];
  const one = item(1, { case: hostile, provider: hostile, passed: false, checks });
  const page = renderTrendPage([{ at: '2026-11-01T02:00:00Z', results: results([one], plan) }], 1);
  expect(page).not.toMatch(/<script|src=(?!\/\/evil)|href=|url\(|@import/);
  expect(page.match(/&quot;&gt;&lt;script src=\/\/evil\.example&gt;&#39;&amp;/g)!.length).toBeGreaterThan(5);
  expect(page).toContain(`default-src 'none'`);
});

test('a folder without results gives a page that says so', async () => {
  expect(await readFile(await writeTrendPage(folder, 1), 'utf8')).toContain('No run has been made.');
});
