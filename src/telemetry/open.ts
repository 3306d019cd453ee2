import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { collectDefaultMetrics } from 'prom-client';
import type { Environment } from '../config/env.ts';
import type { Config } from '../config/types.ts';
import type { ReplicaStatus } from '../db/read-replica.ts';
import type { Observer } from '../engine/api/observer.ts';
import { NO_TRACING } from '../engine/api/tracing.ts';
import { NOT_A_REPLAY } from '../engine/features/cases/store.ts';
import { MAY_WAIT, WAIT_REASON } from '../engine/store/waits.ts';
import type { HealthCheck } from '../http/health.ts';
import type { MetricsPage } from '../http/metrics.ts';
import type { FanOutCounts } from '../http/streams/fan-out.ts';
import { createEngineMetrics } from './engine-metrics.ts';
import { createHttpMetrics } from './http-metrics.ts';
import { createMetrics, renderPage } from './metrics.ts';
import {
  addBuildInfo,
  addCanaryGauges,
  addEventBusMetrics,
  addFanOutMetrics,
  addNotificationMetrics,
  addReplicaMetrics,
  addServerGauge,
  addSessionGauges,
  addWorkerGauges,
  type CanaryMetric,
  type ServerHealth,
  type SessionCounts,
} from './process-metrics.ts';
import type { MaskContent } from './span-content.ts';

/** All metrics of this process, and the page that exports them. */
export type Telemetry = ReturnType<typeof createTelemetry>;

/**
 * Interval between two samples of the event loop's lag (ms), part of each sample. The usual 10 ms take 0.4 % of a
 * processor from an idle process.
 */
const EVENT_LOOP_SAMPLE_MS = 50;

/**
 * Creates the metrics of this process.
 * @param shared reads, from the database, state that is the same for all processes
 * @param version version of this build, such as `0.1.0+1a2b3c4d5e6f`
 * @param alertTypes configured alert types
 */
export function createTelemetry(
  shared: { countSessions(): Promise<SessionCounts>; readServers(): Promise<ServerHealth[]> },
  version: string,
  alertTypes: readonly string[],
) {
  const metrics = createMetrics();
  const { registry } = metrics;
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  addBuildInfo(metrics, version);
  addSessionGauges(metrics, shared.countSessions);
  addServerGauge(metrics, shared.readServers);
  const page: MetricsPage = { render: (accept) => renderPage(registry, accept) };
  return {
    registry,
    engine: createEngineMetrics(metrics, alertTypes),
    http: createHttpMetrics(metrics),
    notifications: addNotificationMetrics(metrics),
    page,
    addEventBus: (isCarried: (() => boolean) | null) => addEventBusMetrics(metrics, isCarried),
    addFanOut: (counts: Readonly<FanOutCounts>) => addFanOutMetrics(metrics, counts),
    addReadReplica: (status: () => ReplicaStatus) => addReplicaMetrics(metrics, status),
    addCanaries: (read: () => Promise<CanaryMetric[]>) => addCanaryGauges(metrics, read),
    addWorkers: (workers: { total: number; active: () => number }) => addWorkerGauges(metrics, workers),
  };
}

/** Opens the telemetry of this process: metrics, and traces if a collector is configured. */
export async function openTelemetry(deps: {
  config: Pick<Config, 'chains'> & { system: Pick<Config['system'], 'telemetry'> };
  environment: Pick<Environment, 'tracesUrl' | 'serviceName'>;
  pool: Pool;
  version: string;
  /** Masks the content of spans, if the configuration asks for content. */
  maskContent: MaskContent;
}): Promise<{ observer: Observer; telemetry: Telemetry; close(): Promise<void> }> {
  const { pool, version } = deps;
  const shared = { countSessions: () => countSessions(pool), readServers: () => readServers(pool) };
  const alertTypes = Object.values(deps.config.chains).flatMap((chain) => chain.alertTypes);
  const telemetry = createTelemetry(shared, version, alertTypes);
  const metrics = telemetry.engine;
  const { tracesUrl: url, serviceName } = deps.environment;
  if (url === null) return { observer: { metrics, tracing: NO_TRACING }, telemetry, close: async () => {} };
  // Loaded on demand, so that tracing otherwise costs nothing.
  const { openTracing } = await import('./tracing.ts');
  const isShown = deps.config.system.telemetry.content === 'masked';
  const maskContent = isShown ? deps.maskContent : null;
  const { tracing, close } = openTracing({ url, serviceName, version, maskContent });
  return { observer: { metrics, tracing }, telemetry, close };
}

/** SQL condition: a worker has a valid lease on the session. */
const HELD = `(status <> 'PENDING' and lease_expires_at >= now())`;
async function countSessions(pool: Pool): Promise<SessionCounts> {
  const { rows } = await pool.query<SessionCounts>(
    `select count(*) filter (where ${HELD})::int as active,
       count(*) filter (where reason in ('SLOT', 'DEPENDENCY') or status = 'CANCELLING' and ${HELD} is not true)::int as queued,
       (select coalesce(json_object_agg(reason, sessions), '{}') from (
          select ${WAIT_REASON} as reason, count(*) as sessions from alert_sessions t where ${MAY_WAIT}
          group by 1) w where reason is not null) as waiting,
       (select count(*)::int from approvals where status = 'PENDING') as approvals,
       (select coalesce(extract(epoch from now() - min(requested_at)), 0)::float8 from approvals where status = 'PENDING')
         as "oldestApprovalS",
       (select count(*)::int from notification_deliveries where status = 'PENDING') as notifications,
       (select count(*)::int from (select 1 from alert_sessions t where review_status is null
          and status in ('COMPLETED', 'FAILED', 'TIMED_OUT') and deleted_at is null and ${NOT_A_REPLAY} limit 10000) waiting) as "toReview"
     from (select t.status, t.lease_expires_at, ${WAIT_REASON} as reason from alert_sessions t
       where t.status in ('PENDING', 'IN_PROGRESS', 'CANCELLING') and t.deleted_at is null) s`,
  );
  return (
    rows[0] ?? {
      active: 0,
      queued: 0,
      waiting: {},
      toReview: 0,
      approvals: 0,
      oldestApprovalS: 0,
      notifications: 0,
    }
  );
}

async function readServers(pool: Pool): Promise<ServerHealth[]> {
  const { rows } = await pool.query<ServerHealth>(
    'select id, healthy from mcp_server_health where last_checked_at is not null order by id',
  );
  return rows;
}

/** Serves /health and /metrics on a separate port. Returns `null` if no port is configured. */
export async function serveMetrics(deps: {
  environment: Pick<Environment, 'metricsHost' | 'metricsPort'>;
  checks: Readonly<Record<string, HealthCheck>>;
  /** Checks that count only if a request asks for them. */
  onDemandChecks: Readonly<Record<string, HealthCheck>>;
  version: string;
  page: MetricsPage;
  logger: Logger;
}): Promise<{ url: string; close(): Promise<void> } | null> {
  const { metricsHost: host, metricsPort: port } = deps.environment;
  if (port === null) return null;
  // Loads the module on demand, because most processes have no metrics port.
  const { startMetricsServer } = await import('../http/metrics-server.ts');
  const server = await startMetricsServer({ ...deps, host, port });
  deps.logger.info({ url: server.url }, 'metrics server started');
  return server;
}
