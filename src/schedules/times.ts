import { createHash } from 'node:crypto';
import { cronOf } from '../config/schema/schedules.ts';
import type { ScheduleConfig } from '../config/types.ts';

type Timed = Pick<ScheduleConfig, 'name' | 'cron' | 'timeZone' | 'jitterMs'>;

/** Times and time zone as one text, which changes whenever the times do. */
export const cronBasis = ({ cron, timeZone }: Timed): string => `${cron} ${timeZone}`;

/**
 * Returns the latest time of a schedule, without its delay; `null` if it has no `cron` or no time before `now`. A time that a
 * clock change skips is that of the change, and a time that a clock change repeats counts once.
 */
export function latestTime(schedule: Timed, now: Date): Date | null {
  if (schedule.cron === null) return null;
  return cronOf(schedule.cron, schedule.timeZone).previousRuns(1, now)[0] ?? null;
}

/** Returns the next time of a schedule with its delay; `null` if it has no `cron`. */
export function nextTime(schedule: Timed, now: Date): Date | null {
  if (schedule.cron === null) return null;
  const waiting = latestTime(schedule, now);
  if (waiting !== null && startOf(schedule, waiting) > now) return startOf(schedule, waiting);
  const next = cronOf(schedule.cron, schedule.timeZone).nextRun(now);
  return next && startOf(schedule, next);
}

/**
 * Returns when the run of a time starts: after a delay that every process computes alike. The delay is at most half
 * the time until the next one, because only the latest time runs.
 */
export function startOf({ name, cron, timeZone, jitterMs }: Timed, time: Date): Date {
  const next = cron === null || jitterMs === 0 ? null : cronOf(cron, timeZone).nextRun(time);
  const longestMs = Math.min(jitterMs, next === null ? jitterMs : (next.getTime() - time.getTime()) / 2);
  const draw = createHash('sha256').update(`${name} ${time.toISOString()}`).digest().readUInt32BE(0);
  return new Date(time.getTime() + (draw % (Math.floor(longestMs) + 1)));
}
