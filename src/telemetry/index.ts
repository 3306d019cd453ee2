import { collectDefaultMetrics } from 'prom-client';
import type { EngineMetrics } from '../engine/api/observer.ts';
import type { HttpMetrics, MetricsPage } from '../http/metrics.ts';
import type { FanOutCounts } from '../http/streams/fan-out.ts';
import { addCanaryGauges, type CanaryMetric } from './canary-metrics.ts';
import { createEngineMetrics } from './engine-metrics.ts';
import { addFanOutMetrics } from './fan-out-metrics.ts';
import { createHttpMetrics } from './http-metrics.ts';
import {
  addBuildInfo,
  addServerGauge,
  addSessionGauges,
  addWorkerGauges,
  type ServerHealth,
  type SessionCounts,
} from './process-metrics.ts';
import { createRegistry } from './registry.ts';

/** All metrics of this process, and the page that exports them. */
export interface Telemetry {
  engine: EngineMetrics;
  http: HttpMetrics;
  page: MetricsPage;
  addFanOut(counts: Readonly<FanOutCounts>): void;
  addCanaries(read: () => Promise<CanaryMetric[]>): void;
  addWorkers(workers: { total: number; active: () => number }): void;
}

/** State shared by all processes, read from the database. */
export interface SharedState {
  countSessions: () => Promise<SessionCounts>;
  readServers: () => Promise<ServerHealth[]>;
}

/**
 * Creates the metrics of this process.
 * @param version version of this build, such as `0.1.0+1a2b3c4d5e6f`
 * @param alertTypes configured alert types
 */
export function createTelemetry(
  { countSessions, readServers }: SharedState,
  version: string,
  alertTypes: readonly string[],
): Telemetry {
  const { registry, bounded } = createRegistry();
  collectDefaultMetrics({ register: registry });
  addBuildInfo(registry, version);
  addSessionGauges(registry, countSessions);
  addServerGauge(registry, readServers);
  return {
    engine: createEngineMetrics(registry, bounded, alertTypes),
    http: createHttpMetrics(registry, bounded),
    page: { contentType: registry.contentType, render: () => registry.metrics() },
    addFanOut: (counts) => addFanOutMetrics(registry, counts),
    addCanaries: (read) => addCanaryGauges(registry, read),
    addWorkers: (workers) => addWorkerGauges(registry, workers),
  };
}
