import { defineEntity, p } from '@mikro-orm/core';
import { id, moment, oneOf } from './columns.ts';

/** Reason of a run: a time of `cron`, a delivery of the source `after`, or a person. */
export type ScheduleCause = 'CRON' | 'AFTER' | 'HAND';

/** One run of a schedule. The unique key makes several processes start it once. */
export const ScheduleRun = defineEntity({
  name: 'ScheduleRun',
  tableName: 'schedule_runs',
  properties: {
    id: id(),
    schedule: p.text(), // name in the configuration
    cause: oneOf<ScheduleCause>(),
    basis: p.text(), // the cron times with their zone, or the name of the source
    dueAt: moment(),
    sessionId: p.uuid().nullable(), // no foreign key, because runs outlive sessions; null for the row from which a new schedule counts
  },
  uniques: [{ name: 'schedule_runs_once', properties: ['schedule', 'cause', 'basis', 'dueAt'] }],
  indexes: [{ name: 'schedule_runs_session', properties: ['sessionId'] }],
});
