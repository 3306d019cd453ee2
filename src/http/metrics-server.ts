import { createServer } from 'node:http';
import type { Logger } from 'pino';
import { refuse } from './errors.ts';
import { answerHealth, type HealthDeps } from './health.ts';
import { listenOn } from './listen.ts';
import { answerMetrics, type MetricsPage } from './metrics.ts';
import { HEADERS_TIMEOUT_MS } from './tunables.ts';

/** Serves /health and /metrics on a separate address, without authentication because neither contains alert content. */
export async function startMetricsServer(
  deps: HealthDeps & { page: MetricsPage; host: string; port: number; logger: Logger },
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer({ headersTimeout: HEADERS_TIMEOUT_MS }, (req, res) => {
    const answer = async () => {
      if (req.url?.split('?')[0] === '/health') return answerHealth(req.url, res, deps);
      if (req.url === '/metrics') return answerMetrics(req, res, deps.page);
      refuse(res, 404, 'NOT_FOUND', 'Only /health and /metrics are served here.');
    };
    answer().catch((error: unknown) => {
      deps.logger.error({ err: error }, 'metrics request failed');
      res.destroy();
    });
  });
  const { url } = await listenOn(server, deps.host, deps.port);
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
