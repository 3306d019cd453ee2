import { appendFileSync } from 'node:fs';

/** One measured figure with what it is compared to, from the same run. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** Of the same thing without us. */
  baseline: number | null;
  baselineName: string | null;
}

/** Keeps a figure for the table that `npm run bench` prints. */
export function report(figure: Figure): void {
  const file = process.env.BENCH_RESULTS;
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/** The value below which this share of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
