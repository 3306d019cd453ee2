import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, insertSession, NO_AUTH, openApi } from '../../test/helpers/http-api.ts';
import { budgetsSchema } from '../config/schema/costs.ts';

const NOBODY = { users: [], groups: [] };
let api: Api;
beforeAll(async () => {
  const written = budgetsSchema.parse({
    all: { limit_usd: 10, per: 'day' },
    teams: { scope: 'team', limit_tokens: 100, degrade: ['conclude', 'queue'] },
    betas: { scope: 'team', only: ['beta'], limit_usd: 5 },
    hosts: { scope: 'alert_type', only: ['host'], limit_usd: 1 },
    sources: { scope: 'source', limit_usd: 1 },
    sessions: { scope: 'session', limit_usd: 2 },
  });
  const named = Object.entries(written).map(([name, budget]) => [name, { name, ...budget }] as const);
  const budgets = Object.fromEntries(named);
  api = await openApi(
    {},
    {
      budgets,
      auth: { ...NO_AUTH, mode: 'proxy' },
      access: {
        approvers: [],
        roles: {
          VIEWER: { ...NOBODY, users: ['*'] },
          RESPONDER: NOBODY,
          ADMIN: { ...NOBODY, users: ['ada'] },
        },
        teams: { alpha: { ...NOBODY, users: ['ann'] }, beta: { ...NOBODY, users: ['bea'] } },
      },
    },
  );
  // Also in the periods that may begin before the tests end.
  for (const later of [0, 1]) {
    const day = `(now() at time zone 'UTC')::date + ${later}`;
    const month = `(date_trunc('month', now() at time zone 'UTC') + interval '${later} months')::date`;
    await api.pool.query(
      `insert into budget_uses (name, key, period, per, used_usd, used_tokens) values
       ('all', '', ${day}, 'day', 4, 7), ('all', '', date '2020-01-01' + ${later}, 'day', 99, 99),
       ('all', '', ${month}, 'month', 88, 88), ('gone', '', ${month}, 'month', 1, 1),
       ('teams', 'alpha', ${month}, 'month', 0, 90), ('teams', 'beta', ${month}, 'month', 0, 111)`,
    );
  }
  for (const [team, status, usd] of [
    ['alpha', 'IN_PROGRESS', 1],
    ['beta', 'WAITING_FOR_APPROVAL', 3],
    ['beta', 'COMPLETED', 9],
  ] as const)
    await insertSession(api.pool, { team, status, cost_usd: usd, total_tokens: 10 });
});
afterAll(() => api.close());

async function budgetsOf(user: string) {
  const response = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-user': user },
    body: JSON.stringify({
      query: '{ budgets { name scope limitUsd limitTokens usedUsd usedTokens periodEndsAt degradation } }',
    }),
  });
  const { data } = (await response.json()) as { data: { budgets: Record<string, unknown>[] } };
  return data.budgets;
}

test('reports the usage of each budget in its period, and the measure in force above its limit', async () => {
  const midnight = () => new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString();
  const before = midnight();
  const budgets = await budgetsOf('ada');
  const rows = budgets.map(({ name, scope, usedUsd, usedTokens, degradation }) => [
    ...[name, scope, usedUsd, usedTokens, degradation],
  ]);
  expect(rows).toEqual([
    ['all', 'everything', 4, 7, null],
    ['teams', 'team beta', 0, 111, 'QUEUE'],
    ['teams', 'team alpha', 0, 90, null],
    ['betas', 'team beta', 0, 0, null],
    ['hosts', 'alert type host', 0, 0, null],
    ['sources', 'each source', 0, 0, null],
    ['sessions', 'each session', 3, 10, 'CONCLUDE'],
  ]);
  expect(budgets[0]).toMatchObject({ limitUsd: 10, limitTokens: null });
  expect([before, midnight()]).toContain(budgets[0]!.periodEndsAt);
  expect(budgets.at(-1)).toMatchObject({ periodEndsAt: null });
});

test.each([
  ['ann', ['team alpha', 0], 1],
  ['cas', ['each team', 0], 0],
])('hides budgets of other teams: %s', async (user, team, session) => {
  const scopes = (await budgetsOf(user)).map(({ scope, usedUsd }) => [scope, usedUsd]);
  expect(scopes).toEqual([['everything', 4], team, ['each session', session]]);
});
