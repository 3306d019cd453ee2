import { Cron } from 'croner';
import { z } from 'zod';
import { timeZone } from './calendar.ts';
import { duration, flag, reference, text } from './common.ts';
import { settings } from './settings.ts';

const cron = z
  .string()
  .max(200)
  .refine(
    isCron,
    'expected minute, hour, day of the month, month and day of the week, such as "0 7 * * mon-fri"',
  )
  .describe('Times as minute, hour, day of the month, month and day of the week, such as `0 7 * * mon-fri`');

const scheduleKeys = z.strictObject({
  text: text('Text that the agents investigate, such as “Check that the cluster is healthy.”').max(100_000),
  alert_type: reference('Alert type, which selects the chain; default: defaults.alert_type').optional(),
  team: reference('Team that the sessions belong to; default: that of the chain').optional(),
  cron: cron.optional(),
  time_zone: timeZone.describe('Time zone of `cron`'),
  jitter: duration('Longest random delay after each time of `cron`', '0s').prefault('0s'),
  after: reference('Alert source whose deliveries start a run, such as one for deployments').optional(),
  enabled: flag('Start runs').prefault(true),
});

export const scheduleSchema = settings(scheduleKeys, [
  'cron',
  ({ cron: times, after }) =>
    times === undefined && after === undefined ? 'a schedule needs cron, after, or both' : null,
]).describe('Investigation that starts by itself');

/** Returns the times of a schedule. */
export const cronOf = (pattern: string, timeZoneName: string): Cron =>
  new Cron(pattern, { timezone: timeZoneName, paused: true, mode: '5-part' });

function isCron(pattern: string): boolean {
  try {
    return cronOf(pattern, 'UTC').nextRun() !== null;
  } catch {
    return false;
  }
}
