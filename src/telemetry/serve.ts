import type { Logger } from 'pino';
import type { Environment } from '../config/env.ts';
import type { HealthCheck } from '../http/health.ts';
import type { MetricsPage } from '../http/metrics.ts';

/** /health and /metrics on a port of their own; null when none is set. */
export async function serveMetrics(deps: {
  environment: Pick<Environment, 'metricsHost' | 'metricsPort'>;
  checks: Readonly<Record<string, HealthCheck>>;
  /** … that count only when they are asked for. */
  onDemandChecks: Readonly<Record<string, HealthCheck>>;
  version: string;
  page: MetricsPage;
  logger: Logger;
}): Promise<{ url: string; close(): Promise<void> } | null> {
  const { metricsHost: host, metricsPort: port } = deps.environment;
  if (port === null) return null;
  // Loaded here: most processes have none.
  const { startMetricsServer } = await import('../http/metrics-server.ts');
  const server = await startMetricsServer({ ...deps, host, port });
  deps.logger.info({ url: server.url }, 'metrics are served');
  return server;
}
