import { resolve } from 'node:path';
import base from '../../vitest.config.ts';
import { SCALE } from './scale.ts';

/**
 * Runs the benchmarks one file at a time, so that they do not disturb each other. Figures of a short run mean
 * nothing.
 */
export default {
  ...base,
  root: resolve(import.meta.dirname, '../..'),
  test: {
    ...base.test,
    include: ['test/bench/**/*.bench.ts'],
    maxWorkers: SCALE === 'short' ? 2 : 1,
    testTimeout: 300_000,
  },
};
