import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED, type SessionView } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import type { TarsyProcess } from '../helpers/process.ts';
import { type ReplicatedDatabase, startReplicatedDatabase } from '../helpers/replicated-database.ts';

const SLOW_TEST = { timeout: 180_000 };
const DAY_MS = 86_400_000;
const POLL = { timeout: 60_000, interval: 50 };

let database: ReplicatedDatabase;
let cluster: Cluster;
let other: TarsyProcess;
let apis: ApiClient[];
beforeAll(async () => {
  database = await startReplicatedDatabase();
  cluster = await startCluster({
    database,
    // Long, so that a busy machine does not make the primary answer.
    env: { DATABASE_READ_URL: database.readUrl, DATABASE_READ_WAIT_MS: '10000', LOG_LEVEL: 'debug' },
    agents: { TestAgent: { mcp_servers: [] } },
  });
  other = await cluster.startApi();
  apis = [cluster.api, apiClient(other.url!)];
  await cluster.startWorker();
}, 120_000);
afterAll(() => cluster?.stop());
beforeEach(() => used(1));

/** Returns a metric of each API process. */
async function metrics(name: string): Promise<number[]> {
  const pages = await Promise.all(
    [cluster.apiUrl, other.url!].map(async (url) => (await fetch(`${url}/metrics`)).text()),
  );
  return pages.map((page) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(page)?.[1] ?? Number.NaN));
}

/** Waits until every API process uses the replica (1), or none does (0). */
const used = (value: 0 | 1) =>
  expect.poll(() => metrics('tarsy_read_replica_used'), POLL).toEqual([value, value]);

const LIST = '{ sessions(first: 100) { nodes { id } } }';
const idsOf = async (api: ApiClient, filter = ''): Promise<string[]> => {
  const document = filter === '' ? LIST : LIST.replace('first: 100', `first: 100, filter: ${filter}`);
  const { sessions } = await api.query<{ sessions: { nodes: { id: string }[] } }>(document);
  return sessions.nodes.map(({ id }) => id);
};

// The last test ends the replica, and the first one counts what there is.
describe('a read replica', { shuffle: false }, () => {
  test('lists, searches, usage and records are read from the replica', SLOW_TEST, async () => {
    cluster.llm.otherwise([{ text: 'The needle is found.' }]);
    const id = await cluster.api.submit('Look for the needle');
    await cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
    for (const api of apis) {
      expect(await idsOf(api)).toEqual([id]);
      expect(await idsOf(api, '{ search: "needle" }')).toEqual([id]);
      const { usage, auditEvents } = await api.query<{
        usage: { total: { sessions: number } };
        auditEvents: { nodes: object[] };
      }>(
        `query ($from: DateTime!, $to: DateTime!) { usage(from: $from, to: $to, by: MODEL) { total { sessions } }
         auditEvents(first: 5) { nodes { id } } }`,
        { from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + DAY_MS) },
      );
      expect(usage.total.sessions).toBe(1);
      expect(auditEvents.nodes.length).toBeGreaterThan(0);
    }
    const counts = await metrics('tarsy_read_replica_served_total');
    const { submitAlert } = await cluster.api.query<{ submitAlert: { session: { alertData: string } } }>(
      `mutation { submitAlert(input: { data: "A mutation reads what it wrote" }) {
       ... on SubmitAlertSuccess { session { alertData } } } }`,
    );
    expect(submitAlert.session.alertData).toBe('A mutation reads what it wrote');
    expect(await metrics('tarsy_read_replica_served_total')).toEqual(counts);
    for (const served of counts) expect(served).toBeGreaterThanOrEqual(3);
    for (const name of ['fallbacks', 'repeats'])
      expect(await metrics(`tarsy_read_replica_${name}_total`), name).toEqual([0, 0]);
  });

  test.each(['runs', 'is paused'])(
    'every process sees a write at once while replay %s',
    SLOW_TEST,
    async (replay) => {
      if (replay === 'is paused') await database.standby.pauseReplay();
      cluster.llm.otherwise([{ text: 'Fine.' }]);
      for (let n = 0; n < 20; n += 1) {
        const id = await apis[n % 2]!.submit(`Written ${replay} ${n}`);
        for (const api of apis) expect(await idsOf(api)).toContain(id);
      }
      await database.standby.resumeReplay();
    },
  );

  test('a page reads a change that a live event announced, from another process', SLOW_TEST, async () => {
    cluster.llm.otherwise([{ text: 'Fine.' }]);
    const ORDER = ['PENDING', 'IN_PROGRESS', 'COMPLETED'];
    for (let n = 0; n < 10; n += 1) {
      const id = await apis[0]!.submit(`Followed ${n}`);
      const news = apis[0]!.subscribe<{ sessionEvents: { session?: SessionView } }>(
        `subscription ($id: ID!) { sessionEvents(sessionId: $id) {
         ... on SessionStatusChanged { session { id status } } } }`,
        { id },
      );
      for await (const { sessionEvents } of news) {
        if (!sessionEvents.session) continue;
        const { status } = sessionEvents.session;
        const { node } = await apis[1]!.query<{ node: { status: string } }>(
          'query ($id: ID!) { node(id: $id) { ... on Session { status } } }',
          { id },
        );
        expect(ORDER.indexOf(node.status)).toBeGreaterThanOrEqual(ORDER.indexOf(status));
        if (ENDED.has(status)) break;
      }
    }
  });

  test(
    'no query fails while the replica dies, is away, falls behind and is promoted',
    SLOW_TEST,
    async () => {
      cluster.llm.otherwise([{ text: 'Fine.' }]);
      const id = await cluster.api.submit('Read meanwhile');
      let stop = false;
      let answered = 0;
      const readers = apis.flatMap((api) =>
        Array.from({ length: 2 }, async (_, reader) => {
          while (!stop) {
            expect(await idsOf(api, reader === 0 ? '{ search: "meanwhile" }' : '')).toContain(id);
            answered += 1;
          }
        }),
      );
      const readOn = async () => {
        const from = answered;
        await expect.poll(() => answered, POLL).toBeGreaterThan(from + 20);
      };
      const { standby } = database;
      try {
        await cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
        await expect.poll(() => idsOf(cluster.api, '{ search: "meanwhile" }'), POLL).toContain(id);
        for (const disturb of [
          { by: standby.kill, end: standby.start },
          { by: standby.pauseReplay, end: standby.resumeReplay },
          { by: standby.promote, end: null },
        ]) {
          await readOn();
          await disturb.by();
          await cluster.api.submit('Something to replay');
          await used(0);
          await readOn();
          await disturb.end?.();
          if (disturb.end) await used(1);
        }
      } finally {
        stop = true;
        await Promise.all(readers);
      }
      const health = await fetch(`${cluster.apiUrl}/health`);
      expect(health.status).toBe(200);
      const ofReplica = await fetch(`${cluster.apiUrl}/health?check=read_replica`);
      expect(ofReplica.status).toBe(503);
    },
  );
});
