import { Counter, Histogram, type Registry } from 'prom-client';
import type { EngineMetrics } from '../engine/api/observer.ts';

/** Histogram buckets (s): one or two model calls, up to their limit. */
const REPORT_SECONDS = [0.25, 1, 2.5, 5, 10, 20, 30, 60, 120, 240];

/** Creates the metrics of reports of investigations and answers. */
export function reportMetrics(registry: Registry) {
  const registers = [registry];
  const reports = new Counter({
    name: 'tarsy_reports_total',
    help: 'Reports of investigations and of answers to questions, by their verdict; none: answers have none, or there is no report.',
    labelNames: ['of', 'outcome', 'verdict'] as const,
    registers,
  });
  const repairs = new Counter({
    name: 'tarsy_report_repairs_total',
    help: 'Reports that went back to the model, because claims did not hold or nothing could be read.',
    labelNames: ['of'] as const,
    registers,
  });
  const claims = new Counter({
    name: 'tarsy_report_claims_total',
    help: 'Claims of reports, by how far they are proven.',
    labelNames: ['of', 'status'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'tarsy_report_duration_seconds',
    help: 'How long making a report took, with its check and what was mended.',
    labelNames: ['of'] as const,
    buckets: REPORT_SECONDS,
    registers,
  });
  return {
    reported({ of: made, outcome, verdict, durationMs, repaired, statuses }) {
      const of = made.toLowerCase();
      reports.inc({ of, outcome: outcome.toLowerCase(), verdict: verdict?.toLowerCase() ?? 'none' });
      duration.observe({ of }, durationMs / 1000);
      if (repaired) repairs.inc({ of });
      for (const status of statuses) claims.inc({ of, status: status.toLowerCase() });
    },
  } satisfies Partial<EngineMetrics>;
}
