import { resolve } from 'node:path';
import base from '../../vitest.config.ts';
import { SCALE } from './scale.ts';

/** Figures, not tests: one file at a time, so that none disturbs another. A short run's figures mean nothing. */
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
