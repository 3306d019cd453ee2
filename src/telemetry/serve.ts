import type { Logger } from 'pino';
import type { Environment } from '../config/env.ts';
import type { HealthCheck } from '../http/health.ts';
import type { MetricsPage } from '../http/metrics.ts';

/** Serves /health and /metrics on a separate port; returns `null` if none is configured. */
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
  // Loaded on demand, because most processes have no such port.
  const { startMetricsServer } = await import('../http/metrics-server.ts');
  const server = await startMetricsServer({ ...deps, host, port });
  deps.logger.info({ url: server.url }, 'metrics server started');
  return server;
}
