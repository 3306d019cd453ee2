import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

let stop: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of stop.toReversed()) await each();
  stop = [];
});

function connected(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  stop.push(() => pool.end());
  return pool;
}

const LONG = { timeout: 60_000, interval: 50 };

/** A model turn that uses this many tokens. */
const turn = (tokens: number) => [
  toolCall('tools.echo', { text: 'x' }),
  { usage: { input: tokens, output: 0 } },
];
const said = (text: string, tokens: number) => [{ text }, { usage: { input: tokens, output: 0 } }];

test('exceeding a budget applies its steps in order, and the session resumes once there is budget again', {
  timeout: 120_000,
}, async () => {
  const app: TestApp = await startTestApp({
    budgets: { monthly: { limit_tokens: 1000, cheaper_llm_provider: 'scripted-small' } },
    defaults: { max_iterations: 20 },
    agents: { First: { mcp_servers: ['tools'] }, Second: { mcp_servers: ['tools'] } },
    stages: [
      { name: 'look', agents: [{ name: 'First' }] },
      { name: 'advise', agents: [{ name: 'Second' }] },
    ],
  });
  stop.push(() => app.stop());
  const pool = connected(app.database.url);
  app.llm.script(turn(850), turn(160), turn(100), turn(100), said('The disk is full.', 100));
  const api = apiClient(app.url);
  const id = await api.submit('Disk trouble');
  const waits = async () =>
    (
      await pool.query(
        `select wait, started_at, (date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC' as "nextMonth"
         from alert_sessions where status = 'PENDING' and attempt = 1`,
      )
    ).rows;
  await expect.poll(waits, LONG).toHaveLength(1);
  const [{ wait, started_at: startedAt, nextMonth }] = await waits();
  expect(wait).toMatchObject({
    reason: 'BUDGET',
    message: `The budget monthly has used 1,310 of 1,000 tokens (131 %) this month. The budget resets at ${nextMonth.toISOString().slice(0, 10)} 00:00 UTC.`,
    until: nextMonth.toISOString(),
  });
  expect(startedAt).toBeNull();

  const told = await pool.query(
    `select a.agent_name as agent, t.metadata->>'degradation' as step, t.content from timeline_events t
     join agent_executions a on a.id = t.execution_id where t.type = 'BUDGET_REACHED' order by t.sequence_number`,
  );
  expect(told.rows.map(({ agent, step }) => [agent, step])).toEqual([
    ['First', null],
    ['First', 'CHEAPER_MODEL'],
    ['First', 'FEWER_ITERATIONS'],
    ['First', 'CONCLUDE'],
    ...['CHEAPER_MODEL', 'FEWER_ITERATIONS', 'CONCLUDE', 'QUEUE'].map((step) => ['Second', step]),
  ]);
  expect(told.rows.map(({ content }) => content)).toEqual([
    'The budget monthly has used 850 of 1,000 tokens (85 %) this month.',
    'The budget monthly has used 1,010 of 1,000 tokens (101 %) this month. The agent now uses the model scripted-3.',
    'The budget monthly has used 1,110 of 1,000 tokens (111 %) this month. The agent is now limited to 10 iterations.',
    'The budget monthly has used 1,210 of 1,000 tokens (121 %) this month. The agent now concludes from its current findings.',
    ...['uses the model', 'limited to', 'now concludes', 'paused until'].map((words) =>
      expect.stringContaining(words),
    ),
  ]);
  const models = await pool.query('select model_name, type from llm_interactions order by created_at, id');
  expect(models.rows.map(({ model_name: model, type }) => [model, type])).toEqual([
    ['scripted-1', 'ITERATION'],
    ['scripted-1', 'ITERATION'],
    ['scripted-3', 'ITERATION'],
    ['scripted-3', 'ITERATION'],
    ['scripted-3', 'FORCED_CONCLUSION'],
  ]);

  app.llm.script(said('Rotate the log.', 10), said('Full: rotate the log.', 10), said('Short.', 10));
  await pool.query('update budget_uses set used_tokens = 0');
  const session = await api.waitFor(id, ({ status }) => ENDED.has(status));
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Full: rotate the log.' });
  app.llm.assertNoUnusedScripts();
});

test('an exhausted session budget makes its agents conclude and leaves other sessions alone', async () => {
  const app = await startTestApp({
    budgets: { each: { scope: 'session', limit_tokens: 300, degrade: ['conclude'] } },
  });
  stop.push(() => app.stop());
  const api = apiClient(app.url);
  for (const text of ['one', 'two']) {
    app.llm.script(turn(200), turn(150), said(text, 50), said('Short.', 10));
    const id = await api.submit(text);
    const session = await api.waitFor(id, ({ status }) => ENDED.has(status));
    expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: text });
  }
  app.llm.assertNoUnusedScripts();
  const { rows } = await connected(app.database.url).query('select 1 from budget_uses');
  expect(rows).toEqual([]);
});

test('fewer iterations are announced to no agent that has only one', async () => {
  const app = await startTestApp({
    budgets: { each: { scope: 'session', limit_tokens: 100, degrade: ['fewer_iterations'] } },
    agents: { First: {}, Once: { max_iterations: 1 }, Twice: { max_iterations: 2 } },
    stages: ['First', 'Once', 'Twice'].map((name) => ({ name, agents: [{ name }] })),
  });
  stop.push(() => app.stop());
  app.llm.otherwise(said('All is well.', 100));
  const api = apiClient(app.url);
  const id = await api.submit('Disk trouble');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const { rows } = await connected(app.database.url).query(
    `select a.agent_name as agent, t.content from timeline_events t join agent_executions a on a.id = t.execution_id
     where t.type = 'BUDGET_REACHED'`,
  );
  expect(rows).toEqual([
    {
      agent: 'Twice',
      content:
        'The budget each has used 200 of 100 tokens (200 %) in this session. The agent is now limited to 1 iteration.',
    },
  ]);
});

test("sub-agents' usage counts, and makes them and their agent conclude", async () => {
  const app = await startTestApp({
    budgets: { each: { scope: 'session', limit_tokens: 300, degrade: ['conclude'] } },
    agents: {
      Lead: { sub_agents: ['Child'], max_iterations: 12 },
      Child: { description: 'Looks', mcp_servers: ['tools'], max_iterations: 12 },
    },
    stages: [{ name: 'look', agents: [{ name: 'Lead' }] }],
  });
  stop.push(() => app.stop());
  const of =
    (agent: string) =>
    ({ messages }: { messages: { content: string }[] }) =>
      messages[0]!.content.includes(`You are the agent ${agent}.`);
  const dispatch = toolCall('tarsy.dispatch_agent', { name: 'Child', task: 'Look.' }, 'call-child');
  app.llm.route(of('Lead'), dispatch, said('I wait.', 0), said('The disk is full.', 20));
  app.llm.route(of('Child'), turn(200), turn(150), said('It is full.', 20));
  app.llm.otherwise(() => ({ text: 'Short.' }));
  const api = apiClient(app.url);
  const id = await api.submit('Disk trouble');
  const session = await api.waitFor(id, ({ status }) => ENDED.has(status));
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'The disk is full.' });
  const { rows } = await connected(app.database.url).query(
    `select distinct a.agent_name as agent from timeline_events t join agent_executions a on a.id = t.execution_id
     where t.type = 'BUDGET_REACHED' and t.metadata->>'degradation' = 'CONCLUDE' order by 1`,
  );
  expect(rows).toEqual([{ agent: 'Child' }, { agent: 'Lead' }]);
});

test('time spent waiting for a budget does not count against a sub-agent’s limit', {
  timeout: 120_000,
}, async () => {
  const app = await startTestApp({
    budgets: { monthly: { limit_tokens: 100, degrade: ['queue'] } },
    agents: {
      Lead: { sub_agents: ['Child'], max_iterations: 12 },
      Child: { description: 'Looks', mcp_servers: ['tools'], max_iterations: 12 },
    },
    stages: [{ name: 'look', agents: [{ name: 'Lead' }] }],
  });
  stop.push(() => app.stop());
  const pool = connected(app.database.url);
  app.llm.route(
    'You are the agent Lead.',
    toolCall('tarsy.dispatch_agent', { name: 'Child', task: 'Look.' }),
    ...['I wait.', 'I wait.', 'I wait.'].map((text) => said(text, 0)),
  );
  app.llm.route('You are the agent Child.', turn(150), turn(150), said('It is full.', 0));
  app.llm.otherwise({ text: 'Short.' });
  const api = apiClient(app.url);
  const id = await api.submit('Disk trouble');
  for (const attempt of [1, 2]) {
    const waiting = `select 1 from alert_sessions where status = 'PENDING' and attempt = ${attempt}`;
    await expect.poll(async () => (await pool.query(waiting)).rows, LONG).toHaveLength(1);
    await pool.query(`update agent_executions set started_at = started_at - interval '1 hour'`);
    await pool.query(`update messages set created_at = created_at - interval '1 hour'`);
    await pool.query('update budget_uses set used_tokens = 0');
  }
  expect((await api.waitFor(id, ({ status }) => ENDED.has(status))).status).toBe('COMPLETED');
  const { rows } = await pool.query(`select status from agent_executions where agent_name = 'Child'`);
  expect(rows).toEqual([{ status: 'COMPLETED' }]);
});

const AGENTS = 30;
const TOKENS = 100;
const LIMIT = 6_000;

test('thirty agents on three workers exceed a budget by at most one call each', {
  timeout: 240_000,
}, async () => {
  const cluster: Cluster = await startCluster({
    queue: { max_concurrent_sessions: AGENTS, worker_concurrency: AGENTS / 3, lease_duration: '60s' },
    defaults: { max_iterations: 200 },
    // Agents have no MCP servers, because thirty tool processes would occupy the whole machine.
    agents: { TestAgent: { mcp_servers: [] } },
    budgets: { everything: { limit_tokens: LIMIT, degrade: ['conclude'] } },
  });
  stop.push(() => cluster.stop());
  cluster.llm.otherwise((request) => {
    if (request.purpose !== 'iteration') return said('Done.', TOKENS);
    const isFirst = !request.messages.some(({ role }) => role === 'assistant');
    return isFirst ? [{ gate: 'all there' }, ...turn(TOKENS)] : turn(TOKENS);
  });
  await Promise.all([1, 2, 3].map(() => cluster.startWorker()));
  const ids = await Promise.all(Array.from({ length: AGENTS }, (_, n) => cluster.api.submit(`Alert ${n}`)));
  const ended = ids.map((id) => cluster.api.waitFor(id, ({ status }) => ENDED.has(status)));
  await cluster.llm.reached('all there', AGENTS); // all agents run in parallel
  cluster.llm.open('all there');
  expect((await Promise.all(ended)).map(({ status }) => status)).toEqual(ids.map(() => 'COMPLETED'));

  const pool = connected(cluster.database.url);
  const workers = await pool.query(
    `select count(distinct payload->>'worker_id')::int as n from session_events where payload->>'status' = 'IN_PROGRESS'`,
  );
  expect(workers.rows).toEqual([{ n: 3 }]);
  // The counted usage equals the recorded usage.
  const uses = await pool.query(
    `select used_tokens::int as counted, (select sum(total_tokens)::int from llm_interactions) as used from budget_uses`,
  );
  expect(uses.rows).toEqual([{ counted: uses.rows[0].used, used: uses.rows[0].used }]);
  // Calls stop at the limit, apart from one call per agent that is under way. Each agent then concludes.
  const calls = await pool.query(
    `select type, count(*)::int as n from llm_interactions group by type order by type`,
  );
  const count = Object.fromEntries(calls.rows.map(({ type, n }) => [type, n]));
  expect(count).toMatchObject({ EXECUTIVE_SUMMARY: AGENTS, FORCED_CONCLUSION: AGENTS });
  expect(count.ITERATION * TOKENS).toBeGreaterThanOrEqual(LIMIT - AGENTS * TOKENS);
  expect(count.ITERATION * TOKENS).toBeLessThanOrEqual(LIMIT + AGENTS * TOKENS);
});
