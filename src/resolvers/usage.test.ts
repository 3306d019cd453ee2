import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Api, globalId, insertRow, insertSession, openApi } from '../../test/helpers/http-api.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi();
});
afterEach(async () => {
  await api.pool.query('delete from alert_sessions');
  await api.pool.query('delete from alert_groups');
});
afterAll(() => api.close());

const DOCUMENT = `query ($from: DateTime!, $to: DateTime!, $by: UsageDimension!, $filter: SessionFilter) {
  usage(from: $from, to: $to, by: $by, filter: $filter) {
    total { key sessions calls tokens { totalTokens cachedReadTokens } cost { usd unpricedCalls } }
    rows { key sessions calls cost { usd unpricedCalls } }
    top { id }
  } }`;
const NOVEMBER = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };

interface Usage {
  total: { sessions: number; calls: number; cost: { usd: number; unpricedCalls: number } };
  rows: { key: string; sessions: number; calls: number; cost: { usd: number; unpricedCalls: number } }[];
  top: { id: string }[];
}

async function usage(by: string, more: Record<string, unknown> = {}): Promise<Usage> {
  const { data, errors } = await api.query<{ usage: Usage }>(DOCUMENT, { ...NOVEMBER, by, ...more });
  expect(errors).toBeUndefined();
  return data.usage;
}

async function call(session: string, model: string, usd: number | null, day: number, hour = 12) {
  await insertRow(api.pool, 'llm_interactions', {
    ...{ session_id: session, type: 'ITERATION', provider: 'openai', model_name: model, duration_ms: 1 },
    ...{ request: '{}', response: '{}', total_tokens: 3_000_000_000, cached_read_tokens: 7, cost_usd: usd },
    created_at: new Date(Date.UTC(2026, 10, day, hour)),
  });
}

/** Inserts two sessions with the team of their source and one without team, and their model calls. */
async function insertCalls() {
  const moment = new Date();
  const group = await insertRow(api.pool, 'alert_groups', {
    ...{ source: 'prod', group_key: 'k', title: 't', severity: 'ERROR', state: 'FIRING', alert_type: 'host' },
    ...{ opened_at: moment, last_received_at: moment },
  });
  const grouped = { group_id: group, team: 'payments', chain_id: 'deep' };
  const cheap = await insertSession(api.pool, { ...grouped, alert_type: 'latency' });
  const dear = await insertSession(api.pool, { ...grouped, alert_data: 'needle in a haystack' });
  const other = await insertSession(api.pool);
  await call(cheap, 'small', 0.25, 1, 0);
  await call(dear, 'small', 0.5, 2);
  await call(dear, 'large', 4, 2, 23);
  await call(dear, 'unheard-of', null, 30, 23);
  await call(other, 'large', 1, 30);
  await call(other, 'large', 64, 31); // in December, outside of the queried period
  return { cheap, dear, other };
}

const figures = ({ rows }: Usage) =>
  rows.map(({ key, sessions, calls, cost }) => [key, sessions, calls, cost.usd, cost.unpricedCalls]);

test('groups the calls of a period by each dimension, and lists the most expensive sessions', async () => {
  const { cheap, dear, other } = await insertCalls();
  const byModel = await usage('MODEL');
  expect(byModel.total).toEqual({
    ...{ key: '', sessions: 3, calls: 5, cost: { usd: 5.75, unpricedCalls: 1 } },
    tokens: { totalTokens: 15_000_000_000, cachedReadTokens: 35 },
  });
  expect(figures(byModel)).toEqual([
    ['large', 2, 2, 5, 0],
    ['small', 2, 2, 0.75, 0],
    ['unheard-of', 1, 1, 0, 1],
  ]);
  expect(byModel.top.map(({ id }) => id)).toEqual([dear, other, cheap].map((id) => globalId('Session', id)));
  const rest = [['', 1, 1, 1, 0]];
  expect(figures(await usage('ALERT_TYPE'))).toEqual([
    ['host', 2, 4, 5.5, 1],
    ['latency', 1, 1, 0.25, 0],
  ]);
  expect(figures(await usage('CHAIN'))).toEqual([
    ['deep', 2, 4, 4.75, 1],
    ['host-chain', 1, 1, 1, 0],
  ]);
  expect(figures(await usage('TEAM'))).toEqual([['payments', 2, 4, 4.75, 1], ...rest]);
  expect(figures(await usage('SOURCE'))).toEqual([['prod', 2, 4, 4.75, 1], ...rest]);
  expect(figures(await usage('DAY'))).toEqual([
    ['2026-11-01', 1, 1, 0.25, 0],
    ['2026-11-02', 1, 2, 4.5, 0],
    ['2026-11-30', 2, 2, 1, 1],
  ]);
});

test('applies filter and search, and omits deleted sessions', async () => {
  const { dear, other } = await insertCalls();
  expect((await usage('MODEL', { filter: { source: ['prod'], alertType: ['host'] } })).total.calls).toBe(3);
  expect((await usage('MODEL', { filter: { search: 'needle' } })).top).toEqual([
    { id: globalId('Session', dear) },
  ]);
  await api.pool.query('update alert_sessions set deleted_at = now() where id = $1', [other]);
  expect((await usage('MODEL')).total.calls).toBe(4);
});

test('returns zeros if nothing was used', async () => {
  const { total, rows, top } = await usage('DAY');
  expect([total, rows, top]).toEqual([
    expect.objectContaining({ sessions: 0, calls: 0, cost: { usd: 0, unpricedCalls: 0 } }),
    [],
    [],
  ]);
});

test.each([
  [{ to: '2026-10-31T23:59:59Z' }, 'before `from`'],
  [{ to: '2028-01-01T00:00:00Z' }, '400 days'],
  [{ filter: { search: 'ab' } }, '3 to 500'],
])('refuses %o', async (more, words) => {
  const { errors } = await api.query(DOCUMENT, { ...NOVEMBER, by: 'DAY', ...more });
  expect(errors).toMatchObject([
    { message: expect.stringContaining(words), extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});

test('shows the cost of sessions, stages, agents and calls, and sums the calls of rows from before costs were stored', async () => {
  const session = await insertSession(api.pool, { cost_usd: 0.5, unpriced_calls: 2 });
  const place = { session_id: session };
  const stage = await insertRow(api.pool, 'stages', { ...place, name: 's', index: 1, type: 'INVESTIGATION' });
  const agent = { ...place, stage_id: stage, agent_name: 'a', agent_index: 1, iteration_strategy: 'REACT' };
  const execution = await insertRow(api.pool, 'agent_executions', { ...agent, cost_usd: 0.25 });
  const asked = `query ($id: ID!) { session(id: $id) { cost { usd unpricedCalls }
    stages { cost { usd unpricedCalls } executions { cost { usd unpricedCalls } } }
    trace { stages { executions { llmInteractions { cost { usd unpricedCalls } } } } } } }`;
  for (const usd of [0.125, null])
    await insertRow(api.pool, 'llm_interactions', {
      ...{ ...place, stage_id: stage, execution_id: execution, cost_usd: usd, type: 'ITERATION' },
      ...{ provider: 'p', model_name: 'm', duration_ms: 1, request: '{}', response: '{}' },
    });
  const calls = { usd: 0.125, unpricedCalls: 1 };
  const trace = {
    stages: [
      {
        executions: [
          {
            llmInteractions: [
              { cost: { usd: 0.125, unpricedCalls: 0 } },
              { cost: { usd: 0, unpricedCalls: 1 } },
            ],
          },
        ],
      },
    ],
  };
  const kept = await api.query(asked, { id: session });
  expect(kept.data).toEqual({
    session: {
      cost: { usd: 0.5, unpricedCalls: 2 },
      stages: [{ cost: calls, executions: [{ cost: { usd: 0.25, unpricedCalls: 0 } }] }],
      trace,
    },
  });
  for (const table of ['alert_sessions', 'agent_executions'])
    await api.pool.query(`update ${table} set unpriced_calls = null, cost_usd = 0`);
  const counted = await api.query(asked, { id: session });
  expect(counted.data).toEqual({
    session: { cost: calls, stages: [{ cost: calls, executions: [{ cost: calls }] }], trace },
  });
});
