import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadText } from '../../../../test/fixtures/config/load-text.ts';
import { insertRow, insertSession } from '../../../../test/helpers/http-api.ts';
import { insertInvestigation } from '../../../../test/helpers/investigation.ts';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import { uuidv7 } from '../../../common/uuidv7.ts';
import type { LlmClient } from '../../model/client.ts';
import { endBudgetWaits, findBudgetWait } from './budget-wait.ts';
import { readSubject } from './budgets.ts';
import { openBudgets } from './run-budgets.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
  await pool.query(
    `insert into budget_uses (name, key, period, per, used_usd)
     select name, key, (date_trunc('month', now() at time zone 'UTC') + n * interval '1 month')::date, 'month', 2
     from (values ('all', ''), ('teams', 'pay')) b (name, key), generate_series(0, 1) n`, // the next month may begin now
  );
});
afterAll(() => pool.drop());

const read: unknown[][] = [];
const observer = { metrics: { budgetRead: (...figures: unknown[]) => void read.push(figures) } };
const load = async (budgets: string) => ({
  ...{ db: pool, observer },
  config: await loadText(`budgets: ${budgets}`),
});
const QUEUE = 'limit_usd: 1, degrade: [queue]';

const group = (source: string, more: object = {}) =>
  insertRow(pool, 'alert_groups', {
    ...{ source, group_key: uuidv7(), title: 't', severity: 'ERROR', state: 'FIRING', alert_type: 'test' },
    ...{ opened_at: new Date(), last_received_at: new Date(), ...more },
  });

async function replay(): Promise<string> {
  const id = await insertSession(pool, { status: 'PENDING' });
  const caseId = await insertRow(pool, 'cases', {
    ...{ name: 'c', document: '""', hash: 'h', alert_type: 'test', world: 'CLOSED', expectation: '{}' },
    ...{ max_unrecorded_calls: 5, recorded_calls: 0, created_by: 'me' },
  });
  const by = { provider: 'p', model: 'm', config_hash: 'h', created_by: 'me' };
  await insertRow(pool, 'replays', { case_id: caseId, session_id: id, ...by });
  return id;
}

test('the source of a session is that of its group, or of the groups that joined it', async () => {
  const own = await insertSession(pool, { group_id: await group('pagerduty'), team: 'pay' });
  const storm = await insertSession(pool);
  for (const source of ['zabbix', 'grafana']) await group(source, { session_id: storm });
  expect(await readSubject(pool, own)).toMatchObject({ source: 'pagerduty', team: 'pay', mayExceed: false });
  expect(await readSubject(pool, storm)).toMatchObject({ source: 'grafana', team: null });
  expect(await readSubject(pool, uuidv7())).toBeNull();
});

test('sessions wait for a budget that is used up, but not replays and those that a responder lets run', async () => {
  const deps = await load(`{ all: { ${QUEUE} } }`);
  const wait = async (id: string) => (await findBudgetWait(deps, id))?.cause ?? null;
  expect(await wait(await insertSession(pool))).toBe('all/');
  expect(await wait(await insertSession(pool, { run_now_at: new Date() }))).toBeNull();
  expect(await wait(await replay())).toBeNull();
});

test('resumes sessions whose budget has room or is gone, and only those', async () => {
  const deps = await load(
    `{ all: { ${QUEUE} }, team: { scope: team, ${QUEUE} }, teams: { scope: team, ${QUEUE} } }`,
  );
  const parked = (cause: string) =>
    insertSession(pool, { status: 'PENDING', wait: { reason: 'BUDGET', cause, message: 'm', until: null } });
  const causes = ['all/', 'teams/pay', 'teams/shop', 'teams/', 'all/pay', 'gone/'];
  const ids = await Promise.all(causes.map(parked));
  expect(await endBudgetWaits(deps)).toBe(4);
  const { rows } = await pool.query<{ cause: string }>(
    `select wait ->> 'cause' as cause from alert_sessions where id = any($1) and wait is not null order by 1`,
    [ids],
  );
  expect(rows.map(({ cause }) => cause)).toEqual(['all/', 'teams/pay']);
  expect(read.toSorted()).toEqual([
    ['all', '', 2],
    ['teams', 'pay', 2],
    ['teams', 'shop', 0],
  ]);
});

test('a resumed run reports a warning once per session, and a degradation once per agent', async () => {
  const { config } = await load(`{ all: { ${QUEUE} } }`);
  const { session, stage, execution } = await insertInvestigation(pool);
  for (const [at, degradation] of [null, 'CONCLUDE'].entries())
    await insertRow(pool, 'timeline_events', {
      ...{ session_id: session, stage_id: stage, execution_id: execution, sequence_number: 100 + at },
      ...{ type: 'BUDGET_REACHED', status: 'COMPLETED', content: 'x' },
      metadata: JSON.stringify({ budget: 'all', ...(degradation && { degradation }) }),
    });
  const open = { db: pool, config, client: {} as LlmClient };
  const { budgets } = await openBudgets(open, { id: session });
  const other = uuidv7();
  const report = (of: string, what: string) => budgets!.markReported(of, 'all', what);
  expect([report(execution, 'WARNING'), report(other, 'WARNING')]).toEqual([false, false]);
  expect([report(execution, 'CONCLUDE'), report(other, 'CONCLUDE')]).toEqual([false, true]);
  expect([report(other, 'CONCLUDE'), report(other, 'QUEUE')]).toEqual([false, true]);
});
