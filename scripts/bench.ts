import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from '../test/bench/report.ts';
import { ROOT } from './lib/dev-python.ts';
import { runStep } from './lib/run-step.ts';

/** Runs the benchmarks and prints their figures as a table and as JSON, with the baselines measured in the same run. */
const dir = await mkdtemp(join(tmpdir(), 'tarsy-bench-'));
const results = join(dir, 'figures.jsonl');
try {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', 'test/bench/vitest.config.ts', ...process.argv.slice(2)];
  process.exitCode = await runStep(process.execPath, args, { env: { BENCH_RESULTS: results } });
  const lines = (await readFile(results, 'utf8')).trim().split('\n');
  const figures = lines.map((line) => JSON.parse(line) as Figure);
  console.table(Object.fromEntries(figures.map((figure) => [figure.name, row(figure)])));
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  await rm(dir, { recursive: true });
}

function row({ value, unit, baseline, baselineName }: Figure) {
  const rounded = (number: number) => Number(number.toPrecision(3));
  return {
    value: `${rounded(value)} ${unit}`,
    baseline: baseline === null ? '' : `${rounded(baseline)} (${baselineName})`,
    ratio: baseline === null ? '' : rounded(value / baseline),
  };
}
