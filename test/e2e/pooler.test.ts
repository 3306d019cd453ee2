import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { type Pooler, pgBouncer, startPooler } from '../helpers/pooler.ts';
import { createTestDatabase } from '../helpers/postgres.ts';
import { startProcess } from '../helpers/process.ts';

/** Investigations that run at once in one worker. */
const SESSIONS = 60;
/** Connections that PgBouncer may open for them. */
const SHARED = 4;
/** Maximum connections of a worker's job queue, which go to PostgreSQL itself. */
const QUEUE = 11;
/** Maximum connections of one worker, with or without a pooler. */
const MOST_OF_A_WORKER = 30;

const title =
  'missing' in pgBouncer ? `behind PgBouncer (skipped: ${pgBouncer.missing})` : 'behind PgBouncer';

describe.skipIf('missing' in pgBouncer)(title, () => {
  let pooler: Pooler;
  let cluster: Cluster;
  beforeAll(async () => {
    pooler = await startPooler(inject('postgres').adminUrl, { connections: SHARED });
    const database = await createTestDatabase();
    cluster = await startCluster({
      database,
      env: { DATABASE_POOLER_URL: pooler.urlOf(database.url) },
      queue: { max_concurrent_sessions: SESSIONS, worker_concurrency: SESSIONS, lease_duration: '60s' },
      agents: { TestAgent: { mcp_servers: [] } },
      chain: { chat: { enabled: true } },
    });
    await cluster.startWorker();
  });
  afterAll(async () => {
    await cluster?.stop();
    await pooler?.stop();
  });

  /** Returns the number of connections by application. */
  async function connections(): Promise<Record<string, number>> {
    const { rows } = await cluster.sql.query<{ application: string; count: number }>(
      `select application_name as application, count(*)::int from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() group by 1`,
    );
    return Object.fromEntries(rows.map(({ application, count }) => [application, count]));
  }

  test('many investigations share few connections', { timeout: 180_000 }, async () => {
    cluster.llm.otherwise([{ text: 'All is ' }, { gate: 'seen' }, { text: 'fine.' }]);
    const ids = await Promise.all(
      Array.from({ length: SESSIONS }, (_, n) => cluster.api.submit(`Alert number ${n}`)),
    );
    const ended = ids.map((id) => cluster.api.waitFor(id, ({ status }) => ENDED.has(status)));
    await cluster.llm.reached('seen', SESSIONS);
    const { 'tarsy-listen': listening, 'tarsy-worker': ofWorker, ...ofApi } = await connections();
    expect(listening).toBe(2);
    // PgBouncer passes on the name of the client that used a connection last.
    const queue = ofWorker! - SHARED;
    expect(Object.values(ofApi).reduce((sum, count) => sum + count, queue)).toBeLessThanOrEqual(QUEUE);
    cluster.llm.open('seen');
    expect((await Promise.all(ended)).map(({ status }) => status)).toEqual(ids.map(() => 'COMPLETED'));
    expect(cluster.log().filter((line) => line.includes('maxPoolSize'))).toEqual([]);
  });

  test('questions, cancellation and search work', async () => {
    cluster.llm.otherwise([{ text: 'The needle is found.' }]);
    const id = await cluster.api.submit('Look for it');
    await cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
    const stage = await askQuestion(cluster.api, id, 'Where?');
    expect(await waitForStageEnd(cluster.api, id, stage)).toBe('COMPLETED');
    const { sessions } = await cluster.api.query<{ sessions: { nodes: { id: string }[] } }>(
      '{ sessions(filter: { search: "needle" }, first: 5) { nodes { id } } }',
    );
    expect(sessions.nodes.map((node) => node.id)).toEqual([id]);
    cluster.llm.otherwise([{ text: 'It takes ' }, { gate: 'never' }]);
    const cancelled = await cluster.api.submit('Cancel me');
    await cluster.llm.reached('never');
    await cluster.api.query('mutation ($id: ID!) { cancelSession(id: $id) { __typename } }', {
      id: cancelled,
    });
    const { status } = await cluster.api.waitFor(cancelled, (session) => ENDED.has(session.status));
    expect(status).toBe('CANCELLED');
  });

  test('a statement that takes too long is ended by the server', async () => {
    const client = new pg.Client({ connectionString: pooler.urlOf(cluster.database.url) });
    await client.connect();
    const { rows } = await client.query("select current_setting('statement_timeout') as limit");
    await client.end();
    expect(rows).toEqual([{ limit: '15s' }]);
  });
});

test.skipIf('missing' in pgBouncer)('a process refuses a pooler of another database', async () => {
  const [database, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const pooler = await startPooler(database.url, { connections: 2 });
  const env = {
    DATABASE_URL: database.url,
    DATABASE_POOLER_URL: pooler.urlOf(other.url),
    CONFIG_DIR: await writeConfig(testConfig({})),
  };
  await expect(startProcess('api', env)).rejects.toThrow('another database than DATABASE_URL');
  await pooler.stop();
  await Promise.all([database.drop(), other.drop()]);
});

test('a worker without a pooler has a limited number of connections', { timeout: 180_000 }, async () => {
  const cluster = await startCluster({
    queue: { max_concurrent_sessions: SESSIONS, worker_concurrency: SESSIONS, lease_duration: '60s' },
    agents: { TestAgent: { mcp_servers: [] } },
  });
  await cluster.startWorker();
  cluster.llm.otherwise([{ text: 'All is ' }, { gate: 'seen' }, { text: 'fine.' }]);
  await Promise.all(Array.from({ length: SESSIONS }, (_, n) => cluster.api.submit(`Alert number ${n}`)));
  await cluster.llm.reached('seen', SESSIONS);
  const { rows } = await cluster.sql.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity where datname = current_database()
     and application_name = 'tarsy-worker'`,
  );
  // One more connection listens, and one announces.
  expect(rows[0]!.count).toBeLessThanOrEqual(MOST_OF_A_WORKER - 2);
  cluster.llm.open('seen');
  await cluster.stop();
});
