import type { Pool } from 'pg';
import type { Environment } from '../config/env.ts';
import type { Config } from '../config/types.ts';
import { NO_TRACING, type Observer } from '../engine/api/observer.ts';
import { createTelemetry, type Telemetry } from './index.ts';
import type { ServerHealth, SessionCounts } from './process-metrics.ts';

/** Opens the telemetry of this process: metrics, and traces if a collector is configured. */
export async function openTelemetry(deps: {
  config: Pick<Config, 'chains'>;
  environment: Pick<Environment, 'tracesUrl' | 'serviceName'>;
  pool: Pool;
  version: string;
}): Promise<{ observer: Observer; telemetry: Telemetry; close(): Promise<void> }> {
  const shared = {
    countSessions: () => countSessions(deps.pool),
    readServers: () => readServers(deps.pool),
  };
  const alertTypes = Object.values(deps.config.chains).flatMap((chain) => chain.alertTypes);
  const telemetry = createTelemetry(shared, deps.version, alertTypes);
  const metrics = telemetry.engine;
  const { tracesUrl: url, serviceName } = deps.environment;
  if (url === null) return { observer: { metrics, tracing: NO_TRACING }, telemetry, close: async () => {} };
  const { openTracing } = await import('./otlp.ts');
  const { tracing, close } = openTracing({ url, serviceName, version: deps.version });
  return { observer: { metrics, tracing }, telemetry, close };
}

/** SQL condition: a living worker holds the session. A session with an expired lease waits for another worker. */
const HELD = `(status <> 'PENDING' and lease_expires_at >= now())`;
/** SQL condition: the session does not wait for more alerts of its group or for a budget. */
const DUE = `(status <> 'PENDING' or run_at is null or run_at <= now())`;

async function countSessions(pool: Pool): Promise<SessionCounts> {
  const { rows } = await pool.query<SessionCounts>(
    `select count(*) filter (where ${HELD})::int as active,
       count(*) filter (where ${HELD} is not true and ${DUE})::int as queued,
       (select count(*)::int from approvals where status = 'PENDING') as approvals,
       (select coalesce(extract(epoch from now() - min(requested_at)), 0)::float8 from approvals where status = 'PENDING')
         as "oldestApprovalS",
       (select count(*)::int from (select 1 from alert_sessions where review_status is null
          and status in ('COMPLETED', 'FAILED', 'TIMED_OUT') and deleted_at is null limit 10000) waiting) as "toReview"
     from alert_sessions where status in ('PENDING', 'IN_PROGRESS', 'CANCELLING') and deleted_at is null`,
  );
  return rows[0] ?? { active: 0, queued: 0, toReview: 0, approvals: 0, oldestApprovalS: 0 };
}

async function readServers(pool: Pool): Promise<ServerHealth[]> {
  const { rows } = await pool.query<ServerHealth>(
    'select id, healthy from mcp_server_health where last_checked_at is not null order by id',
  );
  return rows;
}
