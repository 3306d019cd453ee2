import { expect, test } from 'vitest';
import { MASKED_SHAPES } from '../../test/fixtures/masking/shapes.ts';
import { MASKING_GROUP_PATTERNS } from '../config/masking-names.ts';
import { maskPatterns } from './patterns.ts';

/** Maximum ratio of durations for a fourfold input: linear is 4, times 3 for memory and other load; quadratic is 16. */
const MOST_RATIO = 12;
/** Shortest meaningful measurement (ms). */
const LEAST_MS = 50;

const all = new Set(MASKING_GROUP_PATTERNS.all);
function best(text: string, runs: number): number {
  return Math.min(
    ...Array.from({ length: runs }, () => {
      const start = process.threadCpuUsage(); // excludes other load of the machine
      maskPatterns(text, all);
      const { user, system } = process.threadCpuUsage(start);
      return (user + system) / 1000;
    }),
  );
}

test.each(Object.entries(MASKED_SHAPES))(
  'the work grows with the length only: %s',
  { timeout: 120_000 },
  (_, shape) => {
    const small = best(shape(256 * 1024), 3);
    const large = best(shape(1024 * 1024), 2);
    expect(large / Math.max(small, LEAST_MS)).toBeLessThan(MOST_RATIO);
  },
);
