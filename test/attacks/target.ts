import { readFile } from 'node:fs/promises';
import { apiClient, ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { globalId } from '../helpers/http-api.ts';
import { insertLongSession } from '../helpers/long-session.ts';
import type { TarsyProcess } from '../helpers/process.ts';

/** A whole installation with a large database and a busy worker. */
export interface Target {
  readonly url: string;
  /** Global ids of a session with an alert of 1 MiB, and of one with many events. */
  readonly large: string;
  readonly long: string;
}

export type Prey = Target & Awaited<ReturnType<typeof startTarget>>;

/** Headers of a well-behaved user. */
const FRIEND = { 'x-forwarded-user': 'friend' };

const FIRST_PAGE = `{ sessions(first: 25) { totalCount nodes {
  id alertType alertPreview status author createdAt queuePosition currentStage { name } } } }`;

const LARGE_ALERTS = 60;
const SMALL_ALERTS = 5_000;
const LONG_EVENTS = 5_000;

export async function startTarget() {
  const cluster = await startCluster({
    queue: { max_concurrent_sessions: 3 },
    auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] },
  });
  const { sql } = cluster;
  const api = apiClient(cluster.apiUrl, FRIEND);
  await cluster.startWorker();
  cluster.llm.otherwise({ text: 'fine' });
  const large = await fill(cluster);
  const long = await insertLongSession(cluster.database.url, LONG_EVENTS);
  return {
    url: cluster.apiUrl,
    large,
    long,
    api,
    stop: cluster.stop,
    /** Removes the attackers' submissions from the queue. */
    async clear() {
      await sql.query(`update alert_sessions set status = 'CANCELLED', completed_at = now(), attempt = attempt + 1
        where status = 'PENDING' and dispatched_at is null and author <> 'friend'`);
    },
    /** Returns the peak memory of the API process (MiB). */
    peakMemory: () => peakMemoryOf(cluster.apiProcess),
    async health(): Promise<number> {
      return (await fetch(`${cluster.apiUrl}/health`)).status;
    },
    /** Returns the time (ms) until a user has the first page of sessions. */
    async firstPage(): Promise<number> {
      const begun = performance.now();
      await api.query(FIRST_PAGE);
      return performance.now() - begun;
    },
    /** Starts an investigation whose model waits at the gate. Resolves when the investigation runs. */
    async investigate(gate: string): Promise<{ ended: Promise<string> }> {
      cluster.llm.route(
        (request) => JSON.stringify(request).includes(gate),
        [{ gate }, { text: 'the cause is known' }],
      );
      const reached = cluster.llm.reached(gate);
      const id = await api.submit(`something broke: ${gate}`);
      await reached;
      const ended = api.waitFor(id, ({ status }) => ENDED.has(status)).then(({ status }) => status);
      return { ended };
    },
    open: cluster.llm.open,
  };
}

async function fill({ sql }: Cluster): Promise<string> {
  // The alert's words do not repeat, because a text that compresses well would cost nothing.
  const { rows } = await sql.query<{ id: string }>(
    `insert into alert_sessions (id, alert_type, alert_data, chain_id, author, status, started_at, completed_at)
     select gen_random_uuid(), 'test', left((select string_agg(md5(n || '/' || w), ' ') from generate_series(1, 32000) w), 1048576),
       'test', 'ana', 'COMPLETED', now(), now() from generate_series(1, $1::int) n returning id`,
    [LARGE_ALERTS],
  );
  await sql.query(
    `insert into alert_sessions (id, alert_type, alert_data, chain_id, author, status, started_at, completed_at)
     select gen_random_uuid(), 'test', 'error ' || n || ': connection refused by host-' || n % 97, 'test', 'ana', 'COMPLETED',
       now(), now() from generate_series(1, $1::int) n`,
    [SMALL_ALERTS],
  );
  return globalId('Session', rows[0]!.id);
}

async function peakMemoryOf({ child }: TarsyProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
}
