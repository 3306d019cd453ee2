import { resolve } from 'node:path';
import base from '../../vitest.config.ts';

/** Figures, not tests: one file at a time, so that none disturbs another. */
export default {
  ...base,
  root: resolve(import.meta.dirname, '../..'),
  test: { ...base.test, include: ['test/bench/**/*.bench.ts'], maxWorkers: 1, testTimeout: 300_000 },
};
