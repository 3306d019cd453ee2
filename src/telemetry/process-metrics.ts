import { Gauge, type Registry } from 'prom-client';

/** Seconds for which the counted rows are shown again: however often somebody scrapes, the database is asked seldom. */
const ROWS_AGE_MS = 15_000;

export interface SessionCounts {
  active: number;
  queued: number;
}

/** Sessions in the database, over all processes. A database that is away shows what was counted last. */
export function addSessionGauges(registry: Registry, count: () => Promise<SessionCounts>): void {
  let counted: Promise<SessionCounts> | null = null;
  let last: SessionCounts = { active: 0, queued: 0 };
  let countedAt = Number.NEGATIVE_INFINITY;
  const counts = async (): Promise<SessionCounts> => {
    if (performance.now() - countedAt > ROWS_AGE_MS) {
      countedAt = performance.now();
      counted = count().catch(() => last);
    }
    last = (await counted) ?? last;
    return last;
  };
  gauge(
    registry,
    'tarsy_sessions_active',
    'Sessions under investigation.',
    async () => (await counts()).active,
  );
  gauge(
    registry,
    'tarsy_sessions_queued',
    'Sessions that wait for a worker.',
    async () => (await counts()).queued,
  );
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
