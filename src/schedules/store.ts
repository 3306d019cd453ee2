import type { ScheduleConfig } from '../config/types.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';
import { cronBasis } from './times.ts';

/** Stored state of a schedule. */
export interface ScheduleState {
  /** Time of the last run by `cron`; `null` if the schedule with these times is new. */
  cronAt: Date | null;
  /** Delivery of the last run by `after`; `null` if the schedule with this source is new. */
  afterAt: Date | null;
  /** Last delivery of the source `after` with an alert, firing or not; `null` if there is none. */
  receivedAt: Date | null;
  /** True while the session of a run has not ended. */
  isActive: boolean;
}

const STATES = `select s.name,
    (select max(r.due_at) from schedule_runs r where r.schedule = s.name and r.cause = 'CRON' and r.basis = s.times) as "cronAt",
    (select max(r.due_at) from schedule_runs r where r.schedule = s.name and r.cause = 'AFTER' and r.basis = s.source) as "afterAt",
    (select date_trunc('milliseconds', max(d.received_at)) from intake_deliveries d
      where d.source = s.source and d.alerts > 0) as "receivedAt",
    exists (select 1 from schedule_runs r join alert_sessions a on a.id = r.session_id
      where r.schedule = s.name and a.completed_at is null and a.deleted_at is null) as "isActive"
  from unnest($1::text[], $2::text[], $3::text[]) as s(name, times, source)`;

export async function readStates(
  db: Queryable,
  schedules: readonly ScheduleConfig[],
): Promise<Map<string, ScheduleState>> {
  const { rows } = await db.query<ScheduleState & { name: string }>(prepared(STATES), [
    schedules.map(({ name }) => name),
    schedules.map(cronBasis),
    schedules.map(({ after }) => after),
  ]);
  return new Map(rows.map(({ name, ...state }) => [name, state]));
}

/** Returns the id of each schedule's last session, by name. */
export async function readLastRuns(
  db: Queryable,
  schedules: readonly ScheduleConfig[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ schedule: string; id: string }>(
    prepared(`select distinct on (schedule) schedule, session_id as id from schedule_runs
      where schedule = any($1) and session_id is not null order by schedule, id desc`),
    [schedules.map(({ name }) => name)],
  );
  return new Map(rows.map(({ schedule, id }) => [schedule, id]));
}
