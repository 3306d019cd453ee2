import type { EngineMetrics, Observer } from '../../api/observer.ts';

/** Metrics that describe investigations of real alerts. Metrics about providers count replays, too. */
const OF_INVESTIGATIONS = {
  sessionSubmitted() {},
  sessionBegan() {},
  sessionEnded() {},
  reviewed() {},
  scored() {},
  reported() {},
  toolCalled() {},
  budgetRead() {},
} satisfies Partial<EngineMetrics>;

/** Returns an observer that does not count replays among investigations. */
export function withoutMetrics(observer: Observer): Observer {
  const metrics: EngineMetrics = { ...observer.metrics, ...OF_INVESTIGATIONS };
  return { ...observer, metrics };
}
