import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Api,
  globalId,
  insertRow,
  insertSession,
  NO_AUTH,
  openApi,
} from '../../test/helpers/http-api.ts';
import { indexDueSessions } from '../engine/store/search-index.ts';

const NOBODY = { users: [], groups: [] };
const HEADERS = {
  rex: { 'x-forwarded-user': 'rex' },
  bea: { 'x-forwarded-user': 'bea' },
  zoe: { 'x-forwarded-user': 'zoe' },
  ada: { 'x-forwarded-user': 'ada' },
};
type Who = keyof typeof HEADERS;

let api: Api;
const ids: Record<string, string> = {};
beforeAll(async () => {
  api = await openApi(
    {},
    {
      auth: { ...NO_AUTH, mode: 'proxy' },
      access: {
        roles: {
          VIEWER: { ...NOBODY, users: ['*'] },
          RESPONDER: NOBODY,
          ADMIN: { ...NOBODY, users: ['ada'] },
        },
        teams: { alpha: { ...NOBODY, users: ['rex', 'zoe'] }, beta: { ...NOBODY, users: ['bea', 'zoe'] } },
        approvers: [],
      },
    },
  );
  // Statistics that change between two searches would change their plans.
  for (const table of ['alert_sessions', 'session_search'])
    await api.pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
  for (const team of ['alpha', 'beta', null])
    ids[String(team)] = await insertSession(api.pool, {
      ...{ team, status: 'COMPLETED', alert_data: `the shared word and quagmire-${team}` },
    });
  await insertSession(api.pool, {
    team: 'beta',
    status: 'IN_PROGRESS',
    alert_data: 'runs, with a vexillum',
  }).then((id) =>
    insertRow(api.pool, 'timeline_events', {
      ...{ session_id: id, sequence_number: 1, type: 'LLM_RESPONSE', status: 'COMPLETED' },
      content: 'runs, with a vexillum in its timeline',
    }),
  );
  await api.pool.query(`insert into alert_sessions (id, alert_type, alert_data, chain_id, author, status, team)
    select gen_random_uuid(), 'host', 'many have a xylograph ' || n, 'c', 'a', 'COMPLETED', 'beta' from generate_series(1, 1100) n`);
  await indexDueSessions(api.pool, 60_000);
  expect((await api.pool.query('select 1 from session_search_due')).rows).toEqual([]);
});
afterAll(() => api.close());

const SEARCH = `query ($filter: SessionFilter) { sessions(filter: $filter) { totalCount nodes { id } }
  sessionCounts(by: TEAM, filter: $filter) { counted } }`;
async function find(who: Who, search: string, more: object = {}) {
  const { data } = await api.query<{ sessions: { totalCount: number; nodes: { id: string }[] } }>(
    SEARCH,
    { filter: { search, ...more } },
    HEADERS[who],
  );
  return data.sessions;
}
const only = (...teams: string[]) => teams.map((team) => globalId('Session', ids[team]!)).sort();

describe('a search by team', () => {
  it.each<[Who, string[]]>([
    ['rex', ['alpha', 'null']],
    ['bea', ['beta', 'null']],
    ['zoe', ['alpha', 'beta', 'null']],
    ['ada', ['alpha', 'beta', 'null']],
  ])('finds what %s sees', async (who, teams) => {
    const { nodes, totalCount } = await find(who, 'quagmire shared');
    expect(nodes.map(({ id }) => id).sort()).toEqual(only(...teams));
    expect(totalCount).toBe(teams.length);
    const { nodes: ofAlpha } = await find(who, 'quagmire', { team: ['alpha'] });
    expect(ofAlpha.map(({ id }) => id)).toEqual(teams.includes('alpha') ? only('alpha') : []);
  });

  it('finds a word that many of their own sessions have', async () => {
    expect((await find('bea', 'xylograph')).totalCount).toBe(1100);
    expect((await find('rex', 'xylograph')).totalCount).toBe(0);
    expect((await find('bea', 'vexillum timeline')).totalCount).toBe(1);
  });
});

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/** Returns the number of rows that the nodes of a plan read, including those that they drop. */
function rowsOf(plan: Plan): number {
  const read =
    plan['Actual Rows'] +
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan['Rows Removed by Index Recheck'] ?? 0);
  return read * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), 0);
}

/** Runs the statements of a search once more, by index as in a large database. Returns how many rows each reads. */
async function rowsRead(who: Who, search: string): Promise<number[]> {
  api.statements.length = 0;
  await find(who, search);
  const client = new pg.Client({ connectionString: api.databaseUrl });
  await client.connect();
  await client.query('set enable_seqscan = off');
  const rows: number[] = [];
  for (const { sql, values } of api.statements.filter((each) =>
    /session_search d|from alert_sessions t/.test(each.sql),
  )) {
    const explained = await client.query(
      `explain (analyze, costs off, timing off, format json) ${sql}`,
      values,
    );
    rows.push(rowsOf(explained.rows[0]['QUERY PLAN'][0].Plan));
  }
  await client.end();
  return rows.sort((a, b) => a - b); // the root fields of a query read side by side
}

describe('a word of sessions that the viewer does not see', () => {
  it.each([
    ['one session', 'quagmire-beta', 'quagmare-beta'],
    ['a word form', 'quagmires-beta', 'quagmares-beta'],
    ['many sessions', 'xylograph', 'xylogroph'],
    ['many sessions, as a phrase', '"a xylograph"', '"a xylogroph"'],
    ['a running session', 'vexillum', 'vexollum'],
  ])('is sought like an absent word: %s', async (_where, hidden, absent) => {
    const read = await rowsRead('rex', hidden);
    expect(read.length).toBeGreaterThan(2);
    expect(read).toEqual(await rowsRead('rex', absent));
    // A viewer who sees the sessions reads more for the one than for the other.
    if (hidden !== 'quagmires-beta')
      expect(await rowsRead('bea', hidden)).not.toEqual(await rowsRead('bea', absent));
  });
});
