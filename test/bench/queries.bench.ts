import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, globalId, openApi } from '../helpers/http-api.ts';
import {
  type Case,
  countCases,
  filterCases,
  type Places,
  pageCases,
  searchCases,
  sessionCases,
} from './queries/cases.ts';
import { fillDatabase, LONGEST } from './queries/data.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

const SIZE = { sessions: scaled(2000, 100_000), events: scaled(100_000, 5_000_000) };
const RUNS = scaled(20, 100);
const WARM_UP = 3;
/** Milliseconds after which a slow case has runs enough. */
const CASE_TIME = 5000;

let api: Api;
const cases: Record<string, Case[]> = {};

beforeAll(async () => {
  const begun = performance.now();
  api = await openApi();
  await fillDatabase(api.databaseUrl, SIZE);
  const places = await findPlaces();
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
}, 400_000);
afterAll(() => api?.close());

describe('queries against their statements, one after the other, without us', () => {
  for (const group of ['pages', 'filters', 'searches', 'counts', 'sessions'])
    test(group, async () => {
      for (const one of cases[group]!) await measure(one);
    });
});

async function measure({ name, document, variables, rows }: Case): Promise<void> {
  const ask = () => api.query(document, variables);
  api.statements.length = 0;
  const { data, errors } = await ask();
  expect(errors, name).toBeUndefined();
  expect(rows(longestList(data)), `${name}: ${longestList(data)}`).toBe(true);
  const bare = [...api.statements];
  const without = async () => {
    for (const { sql, values } of bare) await api.pool.query(sql, values);
  };
  const [ours, theirs]: [number[], number[]] = [[], []];
  const begun = performance.now();
  for (let run = -WARM_UP; run < RUNS && performance.now() - begun < CASE_TIME; run++) {
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

async function findPlaces(): Promise<Places> {
  const one = async <T>(sql: string) =>
    Object.values((await api.pool.query<Record<string, T>>(sql)).rows[0]!)[0] as T;
  const middle = await one<Date>(
    `select created_at from alert_sessions order by created_at offset ${SIZE.sessions / 2} limit 1`,
  );
  const { data } = await api.query<{ sessions: { edges: { cursor: string }[] } }>(
    'query ($filter: SessionFilter) { sessions(first: 1, filter: $filter) { edges { cursor } } }',
    { filter: { createdBefore: middle } },
  );
  return {
    middle,
    deepCursor: data.sessions.edges[0]!.cursor,
    rarePart: await one<string>(
      `select substring(alert_data from '"pod": "[a-z-]*-([0-9a-f]{9}-[0-9a-f]{3})') from alert_sessions
       where deleted_at is null order by created_at offset ${SIZE.sessions / 3} limit 1`,
    ),
    usual: globalId(
      'Session',
      await one<string>(
        `select id from alert_sessions where status = 'COMPLETED' and deleted_at is null order by created_at desc limit 1`,
      ),
    ),
    longest: globalId(
      'Session',
      await one<string>(`select session_id from timeline_events where sequence_number = ${LONGEST}`),
    ),
    traced: globalId('Session', await one<string>('select session_id from llm_interactions limit 1')),
  };
}

function longestList(value: unknown): number {
  if (Array.isArray(value)) return Math.max(value.length, ...value.map(longestList));
  if (typeof value !== 'object' || value === null) return 0;
  return Math.max(0, ...Object.values(value).map(longestList));
}
