import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { recall } from '../../src/engine/features/memory/recall.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { rememberAll } from '../helpers/memories.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/postgres.ts';
import { randomFrom } from '../helpers/random.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

/** Measures how memories that fit an alert are recalled among many, and checks that they are still found. */
const MEMORIES = scaled(2_000, 100_000, 100_000);
const RUNS = scaled(62, 124, 620);
const BATCH = 5_000;
const SERVICES = 400;
const TEAMS = 20;
const LIMIT_MS = 60;

const INCIDENTS = parse(
  readFileSync(join(import.meta.dirname, '../fixtures/memory/incidents.yaml'), 'utf8'),
) as { past: string; again: string }[];

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url);
  const random = randomFrom(7);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  // Word frequencies are like those of a natural language: few words are common. A third of the words come
  // from the incidents.
  const own = [...new Set(INCIDENTS.flatMap(({ past }) => past.split(/[^A-Za-z]+/)))];
  const word = () => (random() < 0.3 ? pick(own) : `word${Math.floor(20_000 * random() ** 4).toString(36)}`);
  const sentence = () => Array.from({ length: 24 }, word).join(' ');
  for (let made = 0; made < MEMORIES; made += BATCH)
    await rememberAll(
      pool,
      Array.from({ length: Math.min(BATCH, MEMORIES - made) }, () => ({
        content: `service-${Math.floor(random() * SERVICES)} on host-${Math.floor(random() * 5_000)}: ${sentence()}`,
        confidence: random(),
        daysAgo: Math.floor(random() * 700),
        ...(random() < 0.8 && { team: `team-${Math.floor(random() * TEAMS)}` }),
      })),
    );
  await rememberAll(
    pool,
    INCIDENTS.map(({ past }) => ({ content: past, team: 'team-0' })),
  );
  await pool.query('vacuum analyze memories, memory_words');
}, 600_000);
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

test.each([
  ['by an agent of one team', ['team-0']],
  ['by an agent that sees everything', null],
])('recall %s', { timeout: 300_000 }, async (name, visibility) => {
  const times: number[] = [];
  let found = 0;
  for (let run = 0; run < RUNS; run++) {
    const { past, again } = INCIDENTS[run % INCIDENTS.length]!;
    const begun = performance.now();
    const memories = await recall(pool, { text: again, visibility, limit: 5, halfLifeDays: 90 });
    times.push(performance.now() - begun);
    if (memories.some(({ content }) => content === past)) found += 1;
  }
  for (const share of [0.5, 0.95, 0.99])
    report({
      name: `recall among ${MEMORIES} memories ${name}, p${share * 100}`,
      value: percentile(times, share),
      unit: 'ms',
      baseline: LIMIT_MS,
      baselineName: 'limit of p99',
    });
  report({
    name: `… found among the first five ${name}`,
    value: found / RUNS,
    unit: '',
    baseline: null,
    baselineName: null,
  });
  expect(found).toBeGreaterThan(0);
});
