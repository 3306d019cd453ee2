import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { rememberAll } from '../../../../test/helpers/memories.ts';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import { recall, toSearchWords } from './recall.ts';

const INCIDENTS = parse(
  readFileSync(join(import.meta.dirname, '../../../../test/fixtures/memory/incidents.yaml'), 'utf8'),
) as { past: string; again: string }[];

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());
beforeEach(() => pool.query('truncate memories, memory_words cascade'));

const find = async (text: string, visibility: string[] | null = null, limit = 5) =>
  (await recall(pool, { text, visibility, limit, halfLifeDays: 90 })).map(({ content }) => content);

test('finds at least 80 % of 60 incidents by another description among the first five', async () => {
  expect(INCIDENTS.length).toBeGreaterThanOrEqual(60);
  await rememberAll(
    pool,
    INCIDENTS.map(({ past }) => ({ content: past })),
  );
  const missed: string[] = [];
  for (const { past, again } of INCIDENTS) if (!(await find(again)).includes(past)) missed.push(again);
  expect(1 - missed.length / INCIDENTS.length, `missed: ${missed.join('; ')}`).toBeGreaterThanOrEqual(0.8);
});

test('finds similar spellings and abbreviations', async () => {
  await rememberAll(pool, [
    { content: 'KubePodCrashLooping of payments-api comes from its missing database url' },
    { content: 'The nightly report job is slow on Mondays' },
  ]);
  for (const asked of ['payment-apis crashlooping', 'k8s pods of paymentsapi', 'kubernetes pod crash'])
    expect(await find(asked), asked).toEqual([expect.stringContaining('KubePodCrashLooping')]);
  expect(await find('completely unrelated zebra')).toEqual([]);
  expect(await find('')).toEqual([]);
  expect(await find("it's \\ 'quoted' & | ! ( :* nightly")).toHaveLength(1);
});

test('ranks doubtful and old memories lower and hides deprecated ones and those of other teams', async () => {
  await rememberAll(pool, [
    { content: 'disk of db-03 full: old', daysAgo: 400 },
    { content: 'disk of db-03 full: doubtful', confidence: 0.1 },
    { content: 'disk of db-03 full: sure', confidence: 0.95 },
    { content: 'disk of db-03 full: deprecated', deprecated: true },
    { content: 'disk of db-03 full: red', team: 'red' },
  ]);
  const endings = async (visibility: string[] | null) =>
    (await find('db-03 disk full', visibility)).map((text) => text.split(': ')[1]);
  expect(await endings([])).toEqual(['sure', 'doubtful', 'old']);
  expect(await endings(['blue'])).toEqual(['sure', 'doubtful', 'old']);
  expect(new Set(await endings(['red']))).toEqual(new Set(['sure', 'red', 'doubtful', 'old']));
  expect(await endings(null)).toContain('red');
});

test('counts the memories of each word on every change', async () => {
  const [first] = await rememberAll(pool, [{ content: 'zebra one' }, { content: 'zebra two' }]);
  const count = async (word: string) =>
    (await pool.query('select memories from memory_words where word = $1', [word])).rows[0]?.memories ?? 0;
  expect([await count('zebra'), await count('')]).toEqual([2, 2]);
  await pool.query(`update memories set document = to_tsvector('english', 'giraffe') where id = $1`, [first]);
  expect([await count('zebra'), await count('giraff'), await count('')]).toEqual([1, 1, 2]);
  await pool.query('delete from memories where id = $1', [first]);
  expect([await count('zebra'), await count('giraff'), await count('')]).toEqual([1, 0, 1]);
});

test('finds memories by two common words, the best match first', async () => {
  const many = ['disk', 'checkout', 'nightly'].flatMap((word) =>
    Array.from({ length: 1_100 }, (_, n) => ({ content: `${word} trouble number ${n}` })),
  );
  const [two, three] = ['the disk of checkout', 'the nightly disk of checkout'];
  await rememberAll(pool, [...many, { content: two }, { content: three }]);
  expect(await find('nightly: checkout has no disk')).toEqual([three, two]);
  expect(await find('disk')).toHaveLength(5);
});

test('leaves out memories that share little with the best one', async () => {
  const trouble = Array.from({ length: 30 }, (_, n) => ({ content: `disk trouble number ${n}` }));
  const best = 'disk of payments-api filled by the reporting job';
  await rememberAll(pool, [...trouble, { content: best }]);
  expect(await find('payments-api reporting disk', null, 40)).toEqual([best]);
});

test('ranks the shorter of two memories with the same words first', async () => {
  const other = Array.from({ length: 100 }, (_, n) => `word${n}`).join(' ');
  await rememberAll(pool, [{ content: `kafka lag ${other}` }, { content: 'kafka lag' }]);
  expect(await find('kafka lag')).toEqual(['kafka lag', expect.stringContaining('word99')]);
});

test('adds synonyms of words, but none of names that every object has', () => {
  expect(toSearchWords('pvc constructor')).toBe('pvc constructor persistent volume claim');
});
