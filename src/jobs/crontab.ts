import { type ParsedCronItem, parseCronItems } from 'graphile-worker';
import type { NamedTask } from './kit.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const APPLY_RETENTION = 'apply-retention';

export const applyRetentionTask = (run: () => Promise<unknown>): NamedTask => [
  APPLY_RETENTION,
  async () => void (await run()),
];

/**
 * Returns the recurring jobs. graphile-worker records each run in the database, so that each run takes place in one
 * process only. A run that was missed because no process was running takes place at the next start.
 */
export function crontab({ cleanupIntervalMs }: { cleanupIntervalMs: number }): ParsedCronItem[] {
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

/** Returns the cron pattern closest to an interval, in steps of minutes, hours or days. */
export function cronPattern(intervalMs: number): string {
  if (intervalMs < HOUR_MS) return `${every(intervalMs / MINUTE_MS)} * * * *`;
  if (intervalMs < 24 * HOUR_MS) return `0 ${every(intervalMs / HOUR_MS)} * * *`;
  return `0 0 ${every(intervalMs / (24 * HOUR_MS))} * *`;
}

function every(steps: number): string {
  const whole = Math.round(steps);
  return whole === 1 ? '*' : `*/${whole}`;
}
