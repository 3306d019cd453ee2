import { Gauge, type Registry } from 'prom-client';

/** Milliseconds for which counted rows are cached, so that frequent scrapes cause few queries. */
const CACHE_MS = 15_000;

export interface SessionCounts {
  active: number;
  queued: number;
  /** Ended sessions whose review has not started; counted up to 10,000. */
  toReview: number;
  /** Calls that wait for approval. */
  approvals: number;
  /** Age of the oldest of them (s). */
  oldestApprovalS: number;
}

/** Adds gauges of the sessions of all processes. While the database is unreachable they keep their last values. */
export function addSessionGauges(registry: Registry, count: () => Promise<SessionCounts>): void {
  const counts = cached(count, {
    ...{ active: 0, queued: 0, toReview: 0, approvals: 0, oldestApprovalS: 0 },
  });
  gauge(
    registry,
    'tarsy_sessions_active',
    'Sessions that a living worker holds.',
    async () => (await counts()).active,
  );
  gauge(
    registry,
    'tarsy_sessions_queued',
    'Sessions that wait for a worker; not those that wait for more alerts or a budget.',
    async () => (await counts()).queued,
  );
  gauge(
    registry,
    'tarsy_sessions_to_review',
    'Sessions that ended and whose review nobody has begun; 10,000 stands for more.',
    async () => (await counts()).toReview,
  );
  gauge(
    registry,
    'tarsy_approvals_waiting',
    'Calls of tools that wait for people.',
    async () => (await counts()).approvals,
  );
  gauge(
    registry,
    'tarsy_approvals_oldest_seconds',
    'Seconds that the oldest call waits for people; 0 when none does.',
    async () => (await counts()).oldestApprovalS,
  );
}

/** The result of the last health check of an MCP server. */
export interface ServerHealth {
  id: string;
  healthy: boolean;
}

/** Adds a gauge of the health of the MCP servers that have been checked. */
export function addServerGauge(registry: Registry, read: () => Promise<ServerHealth[]>): void {
  const servers = cached(read, []);
  new Gauge({
    name: 'tarsy_mcp_health_status',
    help: 'MCP servers that agents use: 1 = could be used at the last check, 0 = could not.',
    labelNames: ['server'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { id, healthy } of await servers()) this.set({ server: id }, healthy ? 1 : 0);
    },
  });
}

/** Returns a cached `read`, called at most every CACHE_MS; returns the last value if it fails. */
export function cached<T>(read: () => Promise<T>, first: T): () => Promise<T> {
  let last = first;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<T> = Promise.resolve(first);
  return async () => {
    if (performance.now() - readAt > CACHE_MS) {
      readAt = performance.now();
      reading = read().catch(() => last);
    }
    last = await reading;
    return last;
  };
}

/** Adds gauges of the sessions that this process may run and is running. */
export function addWorkerGauges(registry: Registry, workers: { total: number; active: () => number }): void {
  gauge(
    registry,
    'tarsy_workers_total',
    'Sessions that this process may run at once.',
    async () => workers.total,
  );
  gauge(registry, 'tarsy_workers_active', 'Sessions that this process runs.', async () => workers.active());
}

/** Adds a gauge that is always 1 and carries version and commit as labels, for joins with other metrics. */
export function addBuildInfo(registry: Registry, build: string): void {
  const [version = '', commit = ''] = build.split('+');
  new Gauge({
    name: 'tarsy_build_info',
    help: 'Version and commit of this process; always 1.',
    labelNames: ['version', 'commit'],
    registers: [registry],
  }).set({ version, commit }, 1);
}

function gauge(registry: Registry, name: string, help: string, read: () => Promise<number>): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(await read());
    },
  });
}
