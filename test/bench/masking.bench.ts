import { expect, test } from 'vitest';
import {
  MASKING_GROUP_PATTERNS,
  MASKING_GROUPS,
  type MaskingPattern,
} from '../../src/config/masking-names.ts';
import { maskPatterns } from '../../src/masking/patterns.ts';
import { HOSTILE_SHAPES } from '../fixtures/masking/hostile-shapes.ts';
import { MASKED_SHAPES } from '../fixtures/masking/shapes.ts';
import { report } from './report.ts';
import { scaled } from './scale.ts';

const MIB = 1024 * 1024;
const RUNS = scaled(1, 5);

/** Returns the smallest CPU time of several runs (ms), which other load disturbs least. */
function best(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const begun = threadUsage();
    work();
    const { user, system } = threadUsage(begun);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/**
 * Returns the CPU time of this thread. Without reading the process's usage first, the kernel would update it
 * only with each tick.
 */
function threadUsage(since?: NodeJS.CpuUsage): NodeJS.CpuUsage {
  process.cpuUsage();
  return process.threadCpuUsage(since);
}

const texts = new Map(
  Object.entries({ ...MASKED_SHAPES, ...HOSTILE_SHAPES }).map(([name, shape]) => [name, shape(MIB)]),
);
const mask = (text: string, patterns: ReadonlySet<MaskingPattern>) => maskPatterns(text, patterns);

/** Number of copies measured together, because a single one is too short to measure. */
const COPIES = 20;
const copyMs = (text: string) =>
  best(() => Array.from({ length: COPIES }, () => Buffer.from(text).length)) / COPIES;

test('masking, by group', () => {
  const log = texts.get('a log')!;
  const secrets = texts.get('a list of Secrets')!;
  const baseline = 1000 / copyMs(log);
  for (const group of MASKING_GROUPS) {
    const patterns = new Set(MASKING_GROUP_PATTERNS[group]);
    const common = { unit: 'MiB/s', baseline, baselineName: 'a copy as UTF-8' };
    report({
      name: `masking a log by the group ${group}`,
      value: 1000 / best(() => mask(log, patterns)),
      ...common,
    });
    report({
      name: `masking Secrets by the group ${group}`,
      value: 1000 / best(() => mask(secrets, patterns)),
      ...common,
    });
  }
});

test('masking 1 MiB of any shape', () => {
  const all = new Set(MASKING_GROUP_PATTERNS.all);
  const times = [...texts].map(([name, text]) => ({ name, ms: best(() => mask(text, all)) }));
  times.sort((a, b) => b.ms - a.ms);
  const baseline = copyMs(texts.get('a log')!);
  for (const { name, ms } of times.slice(0, 10)) {
    const value = ms;
    report({
      name: `masking 1 MiB by all patterns: ${name}`,
      value,
      unit: 'ms',
      baseline,
      baselineName: 'a copy as UTF-8',
    });
  }
  expect(times).toHaveLength(texts.size);
});
