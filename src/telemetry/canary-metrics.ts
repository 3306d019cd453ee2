import { Gauge, type Registry } from 'prom-client';
import { cached } from './process-metrics.ts';

/** The exported state of a canary. */
export interface CanaryMetric {
  source: string | null;
  rule: string | null;
  healthy: boolean;
  arrivedAt: Date | null;
  durationMs: number | null;
}

/** Adds gauges for the canaries, read from the database. */
export function addCanaryGauges(registry: Registry, readAll: () => Promise<CanaryMetric[]>): void {
  const canaries = cached(readAll, []);
  const gauge = (name: string, help: string, read: (canary: CanaryMetric) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['source', 'rule'] as const,
      registers: [registry],
      async collect() {
        this.reset();
        for (const canary of await canaries()) {
          const value = read(canary);
          if (value !== null) this.set({ source: canary.source ?? '', rule: canary.rule ?? '' }, value);
        }
      },
    });
  gauge(
    'tarsy_canary_healthy',
    'Signs of life: 1 = it comes and is investigated, 0 = it stays away or fails. Without a rule: TARSy’s own alert.',
    ({ healthy }) => (healthy ? 1 : 0),
  );
  gauge('tarsy_canary_last_arrival_timestamp_seconds', 'When a sign of life came last.', ({ arrivedAt }) =>
    arrivedAt === null ? null : arrivedAt.getTime() / 1000,
  );
  gauge(
    'tarsy_canary_duration_seconds',
    'From the arrival of TARSy’s own alert to the end of its investigation, the last that ended well.',
    ({ durationMs }) => (durationMs === null ? null : durationMs / 1000),
  );
}
