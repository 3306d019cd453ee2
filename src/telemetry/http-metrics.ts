import type { HttpMetrics } from '../http/metrics.ts';
import type { Metrics } from './metrics.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export function createHttpMetrics({ counter, gauge, histogram, bounded }: Metrics): HttpMetrics {
  const requests = counter('tarsy_http_requests_total', 'HTTP requests.', 'method', 'path', 'status_code');
  const duration = histogram(
    'tarsy_http_duration_seconds',
    'Seconds from a request to the end of its response; a stream takes as long as it lasts.',
    SECONDS,
    'method',
    'path',
  );
  const operations = counter(
    'tarsy_graphql_operations_total',
    'GraphQL operations.',
    'type',
    'name',
    'outcome',
  );
  const operationSeconds = histogram(
    'tarsy_graphql_duration_seconds',
    'Seconds to execute a GraphQL operation; for a subscription, until it starts.',
    SECONDS,
    'type',
  );
  const sockets = gauge('tarsy_ws_connections_active', 'Open WebSockets.');
  return {
    requestEnded({ method, path, status, seconds }) {
      requests.inc({ method, path, status_code: String(status) });
      duration.observe({ method, path }, seconds);
    },
    operationEnded({ type, name, failed, seconds }) {
      operations.inc({
        type,
        name: name === null ? 'anonymous' : bounded('operation', name),
        outcome: failed ? 'error' : 'ok',
      });
      operationSeconds.observe({ type }, seconds);
    },
    socketsChanged: (by) => sockets.inc(by),
  };
}
