import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { HttpMetrics } from '../http/metrics.ts';
import type { Bounded } from './registry.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Creates the metrics of the HTTP server. */
export function createHttpMetrics(registry: Registry, bounded: Bounded): HttpMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'tarsy_http_requests_total',
    help: 'HTTP requests answered.',
    labelNames: ['method', 'path', 'status_code'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'tarsy_http_duration_seconds',
    help: 'From a request to the end of its answer; a stream takes as long as it lasts.',
    labelNames: ['method', 'path'] as const,
    buckets: SECONDS,
    registers,
  });
  const operations = new Counter({
    name: 'tarsy_graphql_operations_total',
    help: 'GraphQL operations executed, over HTTP and WebSocket.',
    labelNames: ['type', 'name', 'outcome'] as const,
    registers,
  });
  const operationSeconds = new Histogram({
    name: 'tarsy_graphql_duration_seconds',
    help: 'Execution of GraphQL operations; of a subscription: until it begins.',
    labelNames: ['type'] as const,
    buckets: SECONDS,
    registers,
  });
  const sockets = new Gauge({ name: 'tarsy_ws_connections_active', help: 'Open WebSockets.', registers });
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
