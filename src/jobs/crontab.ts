import { type ParsedCronItem, parseCronItems } from 'graphile-worker';
import { APPLY_RETENTION } from './tasks/apply-retention.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * What runs regularly: once for all processes, because the queue's table of times decides. A time that was missed
 * while no process ran is made up for at the next start.
 */
export function crontab(options: { cleanupIntervalMs: number }): ParsedCronItem[] {
  const { cleanupIntervalMs } = options;
  return parseCronItems([
    {
      task: APPLY_RETENTION,
      match: cronPattern(cleanupIntervalMs),
      options: {
        backfillPeriod: cleanupIntervalMs,
        jobKey: APPLY_RETENTION,
        maxAttempts: 1,
        queueName: APPLY_RETENTION,
      },
    },
  ]);
}

/** The pattern nearest to an interval: cron knows minutes of an hour, hours of a day and days of a month. */
export function cronPattern(intervalMs: number): string {
  if (intervalMs < HOUR_MS) return `${every(intervalMs / MINUTE_MS)} * * * *`;
  if (intervalMs < 24 * HOUR_MS) return `0 ${every(intervalMs / HOUR_MS)} * * *`;
  return `0 0 ${every(intervalMs / (24 * HOUR_MS))} * *`;
}

function every(steps: number): string {
  const whole = Math.max(1, Math.round(steps));
  return whole === 1 ? '*' : `*/${whole}`;
}
