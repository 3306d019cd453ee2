import { rm } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { type TestConfigOptions, testConfig, writeConfig } from '../helpers/config.ts';

const WAITING = 150;
/** Time limit (ms) within which every waiting session begins to run. One session at each check would take 150 s. */
const LIMIT_MS = 30_000;
const SEVERITIES = ['INFO', 'WARNING', 'ERROR', 'CRITICAL'];
const LONG = { timeout: 60_000, interval: 50 };

const CONFIG: TestConfigOptions = {
  queue: { max_concurrent_sessions: WAITING, lease_duration: '60s' },
  // No MCP servers, because their processes would occupy the whole machine.
  agents: { TestAgent: { mcp_servers: [] } },
};
const budget = (limit: number) => ({
  monthly: { limit_tokens: limit, degrade: ['queue'], degrade_every_percent: 0 },
});

let stop: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of stop.toReversed()) await each();
  stop = [];
});

async function startWithoutBudget(): Promise<Cluster> {
  const cluster = await startCluster({ ...CONFIG, budgets: budget(1_000) });
  stop.push(() => cluster.stop());
  cluster.llm.otherwise([{ text: 'Done.' }, { usage: { input: 1_500, output: 0 } }]);
  return cluster;
}

interface State {
  waiting: { reason: string; message: string; sessions: number }[];
}
const STATE = '{ waiting { reason message sessions } }';

test(`${WAITING} sessions wait for a budget, say so everywhere, and begin within ${LIMIT_MS / 1000} s of its raise, the most severe first`, {
  timeout: 240_000,
}, async () => {
  const cluster = await startWithoutBudget();
  const { api, llm, sql } = cluster;
  const old = await cluster.startWorker();
  const first = await api.submit('Uses up the budget');
  await api.waitFor(first, ({ status }) => ENDED.has(status));

  const changes = api.subscribe<{ systemStateChanged: State }>(
    `subscription { systemStateChanged ${STATE} }`,
  );
  const ids = await Promise.all(
    Array.from({ length: WAITING }, (_, n) =>
      api.submit(JSON.stringify({ title: `Alert ${n}`, severity: SEVERITIES[n % SEVERITIES.length] })),
    ),
  );
  const parked = `select count(*)::int as n from alert_sessions where wait->>'reason' = 'BUDGET'`;
  await expect.poll(async () => (await sql.query(parked)).rows[0].n, LONG).toBe(WAITING);

  const message = expect.stringMatching(
    /^The budget monthly has used 3,000 of 1,000 tokens \(300 %\) this month\. The budget resets at /,
  );
  const { rows, listed, systemState } = await api.query<{
    rows: { waitingFor: unknown; queuePosition: number | null; status: string }[];
    listed: { totalCount: number };
    systemState: State;
  }>(
    `query ($ids: [ID!]!) {
       rows: nodes(ids: $ids) { ... on Session { status queuePosition waitingFor { reason message since until } } }
       listed: sessions(filter: { waitingFor: [BUDGET] }) { totalCount }
       systemState ${STATE} }`,
    { ids: ids.slice(0, 100) },
  );
  const now = new Date();
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString();
  for (const row of rows)
    expect(row).toEqual({
      status: 'PENDING',
      queuePosition: null,
      waitingFor: { reason: 'BUDGET', message, since: expect.any(String), until: nextMonth },
    });
  expect(listed.totalCount).toBe(WAITING);
  expect(systemState.waiting).toEqual([{ reason: 'BUDGET', message, sessions: WAITING }]);
  for await (const { systemStateChanged } of changes)
    if (systemStateChanged.waiting[0]?.sessions === WAITING) break;
  const metrics = await (await fetch(`${cluster.apiUrl}/metrics`)).text();
  expect(metrics).toContain(`tarsy_sessions_waiting{reason="BUDGET"} ${WAITING}`);

  await old.end('SIGTERM');
  const raised = await writeConfig(testConfig({ ...CONFIG, budgets: budget(100_000_000) }));
  stop.push(() => rm(raised, { recursive: true }));
  llm.otherwise([{ gate: 'begun' }, { text: 'Done.' }]);
  await cluster.startWorker(undefined, { CONFIG_DIR: raised });
  const raisedAt = Date.now(); // the new limit of sessions is in force
  await llm.reached('begun', WAITING);
  const { rows: begun } = await sql.query<{ severity: string; rank: number; late: number }>(
    `select severity, avg(rank)::float8 as rank, max(late)::float8 as late from (
       select severity, rank() over (order by started_at) as rank,
         extract(epoch from started_at) * 1000 - $1::float8 as late
       from alert_sessions where status = 'IN_PROGRESS') s group by severity order by rank`,
    [raisedAt],
  );
  expect(begun.map(({ severity }) => severity)).toEqual(SEVERITIES.toReversed());
  const slowest = Math.max(...begun.map(({ late }) => late));
  process.stdout.write(`the last of ${WAITING} sessions began ${Math.round(slowest)} ms after the raise\n`);
  expect(slowest).toBeLessThan(LIMIT_MS);
  llm.open('begun');
  const ended = `select count(*)::int as n from alert_sessions where status = 'COMPLETED'`;
  await expect.poll(async () => (await sql.query(ended)).rows[0].n, LONG).toBe(WAITING + 1);
});

test('a session that a responder lets run now passes its budget and the queue, the others keep waiting', {
  timeout: 120_000,
}, async () => {
  const cluster = await startWithoutBudget();
  const { api, sql } = cluster;
  await cluster.startWorker();
  await api.waitFor(await api.submit('Uses up the budget'), ({ status }) => ENDED.has(status));
  const [urgent, other] = [await api.submit('Urgent'), await api.submit('Other')];
  const parked = `select count(*)::int as n from alert_sessions where wait->>'reason' = 'BUDGET'`;
  await expect.poll(async () => (await sql.query(parked)).rows[0].n, LONG).toBe(2);
  const run = `mutation ($id: ID!) { runSessionNow(id: $id) {
    ... on RunSessionNowSuccess { session { waitingFor { reason } } } ... on Error { code message } } }`;
  const { runSessionNow } = await api.query<{ runSessionNow: object }>(run, { id: urgent });
  expect(runSessionNow).toMatchObject({ session: {} });
  expect((await api.waitFor(urgent, ({ status }) => ENDED.has(status))).status).toBe('COMPLETED');
  expect(await api.query(run, { id: urgent })).toMatchObject({ runSessionNow: { code: 'CONFLICT' } });
  expect((await sql.query(parked)).rows).toEqual([{ n: 1 }]);

  const cancel = `mutation ($input: CancelSessionsInput!) { cancelSessions(input: $input) {
    ... on CancelSessionsSuccess { sessions { id status cancelReason } refused { id code } } ... on Error { message } } }`;
  const input = { ids: [other, urgent], reason: 'Storm of yesterday' };
  expect(await api.query(cancel, { input })).toEqual({
    cancelSessions: {
      sessions: [{ id: other, status: 'CANCELLED', cancelReason: 'Storm of yesterday' }],
      refused: [{ id: urgent, code: 'CONFLICT' }],
    },
  });
});

test('a new month lets sessions begin that wait for last month’s budget', { timeout: 120_000 }, async () => {
  const cluster = await startWithoutBudget();
  const { api, sql } = cluster;
  await cluster.startWorker();
  await api.waitFor(await api.submit('Uses up the budget'), ({ status }) => ENDED.has(status));
  const id = await api.submit('Waits');
  const waiting = `select 1 from alert_sessions where wait is not null`;
  await expect.poll(async () => (await sql.query(waiting)).rows, LONG).toHaveLength(1);
  await sql.query(`update budget_uses set period = period - interval '1 month'`);
  expect((await api.waitFor(id, ({ status }) => ENDED.has(status))).status).toBe('COMPLETED');
});
