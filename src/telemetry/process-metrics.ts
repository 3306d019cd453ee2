import { Gauge, type Registry } from 'prom-client';

/** Seconds for which the counted rows are shown again: however often somebody scrapes, the database is asked seldom. */
const ROWS_AGE_MS = 15_000;

export interface SessionCounts {
  active: number;
  queued: number;
  /** Ended, and nobody has begun to review them; 10,000 stands for more. */
  toReview: number;
  /** Calls that wait for people, and for how many seconds the oldest does. */
  approvals: number;
  oldestApprovalS: number;
}

/** Sessions in the database, over all processes. A database that is away shows what was counted last. */
export function addSessionGauges(registry: Registry, count: () => Promise<SessionCounts>): void {
  const counts = seldom(count, {
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

/** Whether an MCP server could be used when it was checked last. */
export interface ServerHealth {
  id: string;
  healthy: boolean;
}

/** MCP servers as the database knows them; one that was not checked yet is left out. */
export function addServerGauge(registry: Registry, read: () => Promise<ServerHealth[]>): void {
  const servers = seldom(read, []);
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

/** What `read` tells, asked at most every ROWS_AGE_MS; when it fails, what it told last. */
export function seldom<T>(read: () => Promise<T>, first: T): () => Promise<T> {
  let last = first;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<T> = Promise.resolve(first);
  return async () => {
    if (performance.now() - readAt > ROWS_AGE_MS) {
      readAt = performance.now();
      reading = read().catch(() => last);
    }
    last = await reading;
    return last;
  };
}

/** Workers of this process: how many sessions it may run, and runs. */
export function addWorkerGauges(registry: Registry, workers: { total: number; active: () => number }): void {
  gauge(
    registry,
    'tarsy_workers_total',
    'Sessions that this process may run at once.',
    async () => workers.total,
  );
  gauge(registry, 'tarsy_workers_active', 'Sessions that this process runs.', async () => workers.active());
}

/** Always 1: which build runs is in its labels, so that others can be joined with it. */
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
