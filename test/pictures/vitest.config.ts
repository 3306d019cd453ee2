import { resolve } from 'node:path';
import base from '../../vitest.config.ts';

/** Takes the pictures of the dashboard and of messages in Slack. `npm run docs:pictures` starts it. */
export default {
  ...base,
  root: resolve(import.meta.dirname, '../..'),
  test: {
    ...base.test,
    include: ['test/pictures/take-*.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
};
