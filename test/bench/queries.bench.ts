import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, openApi } from '../helpers/http-api.ts';
import { type Case, countCases, filterCases, pageCases, searchCases, sessionCases } from './queries/cases.ts';
import { fillDatabase } from './queries/data.ts';
import { findPlaces } from './queries/places.ts';
import { percentile, report } from './report.ts';
import { SCALE, scaled } from './scale.ts';

const SIZE = { sessions: scaled(2_000, 100_000, 1_000_000), events: scaled(100_000, 5_000_000, 10_000_000) };
const RUNS = scaled(20, 100);
const WARM_UP = 3;
/** Time (ms) after which a slow case is not run again, once it has run MIN_RUNS times. */
const CASE_TIME = 5000;
const MIN_RUNS = 3;

let api: Api;
const cases: Record<string, Case[]> = {};

beforeAll(
  async () => {
    const begun = performance.now();
    api = await openApi();
    await fillDatabase(api.databaseUrl, SIZE);
    const places = await findPlaces(api, SIZE);
    Object.assign(cases, {
      pages: pageCases(places),
      filters: filterCases(places),
      searches: searchCases(places),
      counts: countCases(places),
      sessions: sessionCases(places),
    });
    report({
      name: `${SIZE.sessions} sessions made`,
      value: (performance.now() - begun) / 1000,
      unit: 's',
      baseline: null,
      baselineName: null,
    });
  },
  scaled(400_000, 400_000, 3_600_000),
);
afterAll(() => api?.close());

describe('API queries against their bare SQL statements', () => {
  for (const group of ['pages', 'filters', 'searches', 'counts', 'sessions'])
    test(group, async () => {
      for (const one of cases[group]!) await measure(one);
    });
});

async function measure({ name, document, variables, rows }: Case): Promise<void> {
  const ask = () => api.query(document, variables);
  api.statements.length = 0;
  const { data, errors } = await ask();
  if (SCALE === 'full' && errors?.[0]?.extensions?.code === 'TOOK_TOO_LONG') {
    process.stdout.write(`${name}: ${errors[0].message}\n`); // the limit of a search is 5 s
    return;
  }
  expect(errors, name).toBeUndefined();
  expect(rows(longestList(data)), `${name}: ${longestList(data)}`).toBe(true);
  const bare = [...api.statements];
  const without = async () => {
    for (const { sql, values } of bare) await api.pool.query(sql, values);
  };
  const [ours, theirs]: [number[], number[]] = [[], []];
  const begun = performance.now();
  for (let run = -WARM_UP; run < RUNS && (run < MIN_RUNS || performance.now() - begun < CASE_TIME); run++) {
    const [a, b] = [await timed(without), await timed(ask)];
    if (run < 0) continue;
    theirs.push(a);
    ours.push(b);
  }
  for (const share of [0.5, 0.99])
    report({
      name: `${name}, p${share * 100}`,
      value: percentile(ours, share),
      unit: 'ms',
      baseline: percentile(theirs, share),
      baselineName: `${bare.length} statements`,
    });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function longestList(value: unknown): number {
  if (Array.isArray(value)) return Math.max(value.length, ...value.map(longestList));
  if (typeof value !== 'object' || value === null) return 0;
  return Math.max(0, ...Object.values(value).map(longestList));
}
