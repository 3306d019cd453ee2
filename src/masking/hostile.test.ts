import { expect, test } from 'vitest';
import { HOSTILE_SHAPES } from '../../test/fixtures/masking/hostile-shapes.ts';
import { MASKED_SHAPES } from '../../test/fixtures/masking/shapes.ts';
import { MASKING_GROUP_PATTERNS } from '../config/masking-names.ts';
import { maskPatterns } from './patterns.ts';

/**
 * Maximum cost of a hostile text as a multiple of the cost of a log without secrets. Measured are up to 15
 * (`test/bench/masking.bench.ts`), and twice that on a busy machine. Work that grows with the square of the length is
 * several hundred.
 */
const MOST_RATIO = 60;
const SIZE = 128 * 1024;

const all = new Set(MASKING_GROUP_PATTERNS.all);
/** Returns the shortest CPU time of several runs (ms), without other load of the machine. */
function cost(text: string, runs: number): number {
  const times = Array.from({ length: runs }, () => {
    const start = process.threadCpuUsage();
    maskPatterns(text, all);
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

test('a hostile text costs at most a small multiple of a plain log', { timeout: 300_000 }, () => {
  const line = '2026-01-02T03:04:05Z INFO request path=/api/v1/orders status=200 duration=12ms\n';
  const log = line.repeat(SIZE / line.length);
  cost(log, 10); // compiles the code
  const shapes = Object.entries({ ...MASKED_SHAPES, ...HOSTILE_SHAPES });
  expect(shapes.length).toBeGreaterThanOrEqual(200);
  const isSlow = (text: string) => cost(text, 2) / cost(log, 2) > MOST_RATIO;
  const slow = shapes
    .map(([name, shape]) => ({ name, text: shape(SIZE) }))
    .filter(({ text }) => isSlow(text) && isSlow(text));
  expect(slow.map(({ name }) => name)).toEqual([]);
});
