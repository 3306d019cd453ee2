import { expect, test } from 'vitest';
import { cronPattern, crontab } from './crontab.ts';

const MINUTE = 60_000;

test.each([
  [MINUTE, '* * * * *'],
  [15 * MINUTE, '*/15 * * * *'],
  [60 * MINUTE, '0 * * * *'],
  [12 * 60 * MINUTE, '0 */12 * * *'],
  [24 * 60 * MINUTE, '0 0 * * *'],
  [72 * 60 * MINUTE, '0 0 */3 * *'],
  [90 * MINUTE, '0 */2 * * *'],
])('every %i ms is %s', (intervalMs, pattern) => {
  expect(cronPattern(intervalMs)).toBe(pattern);
  expect(crontab({ cleanupIntervalMs: intervalMs })).toMatchObject([{ task: 'apply-retention' }]);
});
