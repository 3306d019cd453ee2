import { appendFileSync } from 'node:fs';

/** One measured figure and its baseline from the same run. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** Value of the same operation without TARSy; null if there is none. */
  baseline: number | null;
  baselineName: string | null;
}

/** Stores a figure for the table that `npm run bench` prints. */
export function report(figure: Figure): void {
  const file = process.env.BENCH_RESULTS;
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/** Returns the value below which the given share (0–1) of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
