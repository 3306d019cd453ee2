import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, NO_AUTH, openApi } from '../helpers/http-api.ts';
import { type Case, countCases, filterCases, pageCases, searchCases } from './queries/cases.ts';
import { fillDatabase } from './queries/data.ts';
import { findPlaces } from './queries/places.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

const TEAMS = 20;
const SIZE = {
  sessions: scaled(2000, 100_000, 1_000_000),
  events: scaled(20_000, 500_000, 3_000_000),
  teams: TEAMS,
};
const RUNS = scaled(5, 60, 100);
const WARM_UP = 2;
/** Time (ms) after which a slow case is not run again. */
const CASE_TIME = 6000;

const NOBODY = { users: [], groups: [] };
const ADMIN = { 'x-forwarded-user': 'ada' };
/** A viewer in the smallest team. */
const VIEWER = { 'x-forwarded-user': 'vera' };

let api: Api;
const cases: Record<string, Case[]> = {};
beforeAll(async () => {
  const teams = Array.from({ length: TEAMS }, (_, n) => [`team-${n}`, NOBODY] as const);
  api = await openApi(
    {},
    {
      auth: { ...NO_AUTH, mode: 'proxy' },
      access: {
        approvers: [],
        roles: {
          VIEWER: { ...NOBODY, users: ['*'] },
          RESPONDER: NOBODY,
          ADMIN: { ...NOBODY, users: ['ada'] },
        },
        teams: { ...Object.fromEntries(teams), [`team-${TEAMS - 1}`]: { ...NOBODY, users: ['vera'] } },
      },
    },
  );
  await fillDatabase(api.databaseUrl, SIZE);
  const places = await findPlaces(api, SIZE, ADMIN);
  Object.assign(cases, {
    lists: [...pageCases(places), ...filterCases(places)],
    searches: searchCases(places),
    counts: countCases(places),
    choices: [
      {
        name: 'choices of filters',
        document: '{ sessionFilterOptions { alertTypes chainIds authors statuses teams } }',
        variables: {},
        rows: () => true,
      },
    ],
  });
}, 3_000_000);
afterAll(() => api?.close());

test.each(['lists', 'searches', 'counts', 'choices'])(
  '%s for a member of one team, against an admin',
  { timeout: 900_000 },
  async (group) => {
    const all: Times = { viewer: [], admin: [] };
    for (const one of cases[group]!) {
      const { viewer, admin } = await measure(one);
      all.viewer.push(...viewer);
      all.admin.push(...admin);
      tell(one.name, { viewer, admin });
    }
    tell(`all ${group}`, all);
  },
);

interface Times {
  viewer: number[];
  admin: number[];
}

/** Measures a case for a viewer and an admin alternately, so that other load on the machine affects both. */
async function measure({ name, document, variables }: Case): Promise<Times> {
  const times: Times = { viewer: [], admin: [] };
  const begun = performance.now();
  for (let run = -WARM_UP; run < 1 || (run < RUNS && performance.now() - begun < CASE_TIME); run++) {
    for (const [who, headers] of [['admin', ADMIN] as const, ['viewer', VIEWER] as const]) {
      const asked = performance.now();
      const { errors } = await api.query(document, variables, headers);
      if (run >= 0) times[who].push(performance.now() - asked);
      expect(errors, name).toBeUndefined();
    }
  }
  return times;
}

function tell(name: string, { viewer, admin }: Times): void {
  for (const share of [0.5, 0.99])
    report({
      name: `${SIZE.sessions} sessions, ${TEAMS} teams: ${name}, p${share * 100}`,
      value: percentile(viewer, share),
      unit: 'ms',
      baseline: percentile(admin, share),
      baselineName: 'an admin',
    });
}
