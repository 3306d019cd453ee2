import type { ReplicaStatus } from '../db/read-replica.ts';
import { WAIT_REASON_MEANINGS, type WaitReason } from '../db/wait-reason.ts';
import type { FanOutCounts } from '../http/streams/fan-out.ts';
import type { Metrics } from './metrics.ts';

/** Time (ms) for which counted rows are cached, so that frequent scrapes cause few queries. */
const CACHE_MS = 15_000;

export interface SessionCounts {
  active: number;
  queued: number;
  /** Sessions that wait, by reason. */
  waiting: Readonly<Partial<Record<WaitReason, number>>>;
  /** Ended sessions whose review has not started; counted up to 10,000. */
  toReview: number;
  /** Tool calls that wait for approval. */
  approvals: number;
  /** Age of the oldest waiting tool call (s); 0 if none waits. */
  oldestApprovalS: number;
  /** Notifications that are not delivered yet. */
  notifications: number;
}

const SESSION_GAUGES: readonly (readonly [
  name: string,
  help: string,
  count: Exclude<keyof SessionCounts, 'waiting'>,
])[] = [
  ['tarsy_sessions_active', 'Sessions that a living worker holds.', 'active'],
  ['tarsy_sessions_queued', 'Sessions waiting for a worker, not for more alerts or a budget.', 'queued'],
  ['tarsy_sessions_to_review', 'Ended sessions whose review has not started; at most 10,000.', 'toReview'],
  ['tarsy_approvals_waiting', 'Tool calls that wait for approval.', 'approvals'],
  ['tarsy_approvals_oldest_seconds', 'Age of the oldest waiting tool call; 0 = none.', 'oldestApprovalS'],
  ['tarsy_notifications_pending', 'Notifications that are not delivered yet.', 'notifications'],
];

/** Adds gauges of the sessions of all processes. While the database is unreachable, the last values remain. */
export function addSessionGauges({ readGauge }: Metrics, count: () => Promise<SessionCounts>): void {
  const none: SessionCounts = {
    active: 0,
    queued: 0,
    waiting: {},
    toReview: 0,
    approvals: 0,
    oldestApprovalS: 0,
    notifications: 0,
  };
  const counts = cached(count, none);
  for (const [name, help, key] of SESSION_GAUGES) readGauge(name, help, async () => (await counts())[key]);
  readGauge(
    'tarsy_sessions_waiting',
    'Sessions that wait, by reason.',
    async () => {
      const { waiting } = await counts();
      return Object.keys(WAIT_REASON_MEANINGS).map((reason) => ({
        labels: { reason },
        value: waiting[reason as WaitReason] ?? 0,
      }));
    },
    'reason',
  );
}

/** Adds the counter of attempts to send notifications. */
export function addNotificationMetrics({ counter }: Metrics) {
  const help = 'Attempts to send a notification, by kind of channel and outcome.';
  const attempts = counter('tarsy_notification_attempts_total', help, 'kind', 'outcome');
  return {
    notificationAttempted: (kind: string, outcome: string) =>
      attempts.inc({ kind, outcome: outcome.toLowerCase() }),
  };
}

/** The result of the last health check of an MCP server. */
export interface ServerHealth {
  id: string;
  healthy: boolean;
}

/** Adds a gauge of the health of the MCP servers that have been checked. */
export function addServerGauge({ readGauge }: Metrics, read: () => Promise<ServerHealth[]>): void {
  const servers = cached(read, []);
  readGauge(
    'tarsy_mcp_health_status',
    'MCP servers that agents use: 1 = healthy at the last check, 0 = unhealthy.',
    async () =>
      (await servers()).map(({ id, healthy }) => ({ labels: { server: id }, value: healthy ? 1 : 0 })),
    'server',
  );
}

export interface CanaryMetric {
  source: string | null;
  rule: string | null;
  healthy: boolean;
  arrivedAt: Date | null;
  durationMs: number | null;
}

/** Adds gauges of the canaries, read from the database. */
export function addCanaryGauges({ readGauge }: Metrics, readAll: () => Promise<CanaryMetric[]>): void {
  const canaries = cached(readAll, []);
  const add = (name: string, help: string, measure: (canary: CanaryMetric) => number | null) => {
    const read = async () =>
      (await canaries()).flatMap((canary) => {
        const labels = { source: canary.source ?? '', rule: canary.rule ?? '' };
        const value = measure(canary);
        return value === null ? [] : [{ labels, value }];
      });
    readGauge(name, help, read, 'source', 'rule');
  };
  add(
    'tarsy_canary_healthy',
    'Canaries: 1 = arrives and is investigated, 0 = missing or failed. Without a rule: TARSy’s own alert.',
    ({ healthy }) => (healthy ? 1 : 0),
  );
  add(
    'tarsy_canary_last_arrival_timestamp_seconds',
    'Time of the last arrival of a canary.',
    ({ arrivedAt }) => (arrivedAt === null ? null : arrivedAt.getTime() / 1000),
  );
  add(
    'tarsy_canary_duration_seconds',
    'Seconds from the arrival of TARSy’s own alert to the end of its last successful investigation.',
    ({ durationMs }) => (durationMs === null ? null : durationMs / 1000),
  );
}

/** Returns a function that calls `read` at most every CACHE_MS. If `read` fails, returns the last value. */
function cached<T>(read: () => Promise<T>, first: T): () => Promise<T> {
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

/** Adds metrics of the delivery of live results, read from the server's counts at each scrape. */
export function addFanOutMetrics({ readGauge, readCounter }: Metrics, counts: Readonly<FanOutCounts>): void {
  readGauge('tarsy_subscriptions_active', 'Subscribers of live results.', () => counts.subscribers);
  readGauge('tarsy_subscription_groups_active', 'Groups of subscribers.', () => counts.groups);
  readCounter('tarsy_subscription_results_total', 'Live results, each executed once.', () => counts.executed);
  readCounter('tarsy_subscription_messages_total', 'Live results delivered.', () => counts.delivered);
  readCounter('tarsy_subscriptions_cut_off_total', 'Too slow subscribers, cut off.', () => counts.cutOff);
}

/**
 * Adds metrics of the announcements to other processes.
 * @param isCarried true while NATS carries them; `null` if NATS is not configured
 */
export function addEventBusMetrics({ counter, readGauge }: Metrics, isCarried: (() => boolean) | null) {
  const sent = counter('tarsy_notices_sent_total', 'Announcements sent to other processes, by bus.', 'bus');
  readGauge('tarsy_nats_up', 'If configured: 1 = NATS carries live events, 0 = NATS is unavailable.', () =>
    isCarried === null ? [] : Number(isCarried()),
  );
  return { onSent: (bus: 'nats' | 'postgres', notices: number) => sent.inc({ bus }, notices) };
}

/** Adds metrics of the read replica. */
export function addReplicaMetrics({ readGauge, readCounter }: Metrics, status: () => ReplicaStatus): void {
  const known = (value: number | null) => (value === null ? [] : [{ labels: {}, value }]);
  readGauge('tarsy_read_replica_used', 'Read replica: 1 = it answers reads, 0 = the primary does.', () =>
    status().serves ? 1 : 0,
  );
  readGauge('tarsy_read_replica_lag_bytes', 'WAL that the read replica has not replayed.', () =>
    known(status().lagBytes),
  );
  readGauge(
    'tarsy_read_replica_lag_seconds',
    'Age of commits that the read replica may lack; 0 = none.',
    () => known(status().lagSeconds),
  );
  readCounter(
    'tarsy_read_replica_served_total',
    'Queries and statements of searches that the replica answered.',
    () => status().served,
  );
  readCounter(
    'tarsy_read_replica_fallbacks_total',
    'Queries and statements of searches that the primary answered, because the replica was not current.',
    () => status().fellBack,
  );
  readCounter(
    'tarsy_read_replica_repeats_total',
    'Reads that failed on the replica and were repeated on the primary.',
    () => status().repeated,
  );
}

/** Adds gauges of this process: how many sessions it may run at once, and how many it runs. */
export function addWorkerGauges(
  { readGauge }: Metrics,
  workers: { total: number; active: () => number },
): void {
  readGauge('tarsy_workers_total', 'Maximum sessions that this process runs at once.', () => workers.total);
  readGauge('tarsy_workers_active', 'Sessions that this process runs.', workers.active);
}

/** Adds a gauge with version and commit as labels, for joins with other metrics. The value is always 1. */
export function addBuildInfo({ gauge }: Metrics, build: string): void {
  const [version = '', commit = ''] = build.split('+');
  gauge('tarsy_build_info', 'Version and commit of this process; always 1.', 'version', 'commit').set(
    { version, commit },
    1,
  );
}
