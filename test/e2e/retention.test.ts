import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { globalId } from '../helpers/http-api.ts';
import { insertInvestigation } from '../helpers/investigation.ts';

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  app = await startTestApp();
  pool = new pg.Pool({ connectionString: app.database.url });
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});

test('the job removes failed jobs, and hides an old session and everything belonging to it from every query', async () => {
  const old = await insertInvestigation(pool);
  const kept = await insertInvestigation(pool);
  await pool.query(
    `update alert_sessions set completed_at = now() - interval '366 days', last_interaction_at = null where id = $1`,
    [old.session],
  );
  await pool.query(`update stages set status = 'COMPLETED'`);
  await pool.query('update alert_sessions set completed_at = now() where id = $1', [kept.session]);
  const planned = 'select identifier from graphile_worker._private_known_crontabs';
  await expect
    .poll(async () => (await pool.query(planned)).rows)
    .toEqual([{ identifier: 'apply-retention' }]);
  const failed = `select 1 from graphile_worker.jobs where task_identifier = 'failed'`;
  await pool.query(`select graphile_worker.add_job('failed', max_attempts := 1)`);
  await pool.query(
    `update graphile_worker._private_jobs set attempts = 1
     where task_id = (select id from graphile_worker._private_tasks where identifier = 'failed')`,
  );
  await pool.query(`select graphile_worker.add_job('apply-retention', '{}')`);

  const api = apiClient(app.url);
  const shown = () => api.query<{ sessions: { nodes: { id: string }[] } }>('{ sessions { nodes { id } } }');
  const left = [{ id: globalId('Session', kept.session) }];
  await expect.poll(async () => (await shown()).sessions.nodes, { timeout: 20_000 }).toEqual(left);
  await expect.poll(async () => (await pool.query(failed)).rowCount, { timeout: 20_000 }).toBe(0);
  const { stage, execution, messages, thought, llm, mcp, chat, question } = old;
  const ids = [
    globalId('Session', old.session),
    globalId('Stage', stage),
    globalId('AgentExecution', execution),
    globalId('Message', messages[0]!),
    globalId('TimelineEvent', thought),
    globalId('LlmInteraction', llm),
    globalId('McpInteraction', mcp),
    globalId('Chat', chat),
    globalId('ChatMessage', question),
  ];
  expect(await api.query('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })).toEqual({
    nodes: ids.map(() => null),
  });
  await expect(
    api.query('mutation ($id: ID!) { cancelSession(id: $id) { ... on Error { code } } }', { id: ids[0] }),
  ).resolves.toEqual({ cancelSession: { code: 'NOT_FOUND' } });
});
