import { uuidv7 } from '../../common/uuidv7.ts';
import type { ScheduleCause } from '../../db/entities/index.ts';
import type { SlackPoint } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';

/** A run of a schedule, or the row from which a new schedule counts. */
export interface NewScheduleRun {
  schedule: string;
  cause: ScheduleCause;
  /** Times and time zone, or the source. */
  basis: string;
  dueAt: Date;
  /** `null` if nothing runs: the schedule counts from `dueAt`. */
  sessionId: string | null;
}

/** Number of runs of a schedule that are kept. */
const KEPT = 200;

/** Records a run. @returns `false` if another process recorded it */
export async function recordRun(tx: Queryable, run: NewScheduleRun): Promise<boolean> {
  const { schedule, cause, basis, dueAt, sessionId } = run;
  const { rowCount } = await tx.query(
    prepared(`insert into schedule_runs (id, schedule, cause, basis, due_at, session_id)
      values ($1, $2, $3, $4, $5, $6) on conflict do nothing`),
    [uuidv7(), schedule, cause, basis, dueAt, sessionId],
  );
  if (rowCount === 0) return false;
  await tx.query(
    prepared(`delete from schedule_runs where schedule = $1 and id <= (
      select id from schedule_runs where schedule = $1 order by id desc offset ${KEPT} limit 1)`),
    [schedule],
  );
  return true;
}

/**
 * Returns the SQL condition that people need not hear of a session: a schedule started it, and the verdict is the one of the
 * run before. A first run without trouble is quiet, too.
 */
export function quietSql(session: string, point: SlackPoint): string {
  if (point === 'STARTED') return `exists (select 1 from schedule_runs r where r.session_id = ${session}.id)`;
  return `exists (select 1 from schedule_runs r
    left join lateral (select p.verdict, true as found from schedule_runs q join alert_sessions p on p.id = q.session_id
      where q.schedule = r.schedule and q.id < r.id and p.completed_at is not null order by q.id desc limit 1) before on true
    where r.session_id = ${session}.id
      and ${session}.verdict is not distinct from case when before.found then before.verdict else 'NO_ACTION' end)`;
}

/** True if people need not hear of a point of the session; see `quietSql`. */
export async function isQuiet(db: Queryable, sessionId: string, point: SlackPoint): Promise<boolean> {
  const { rows } = await db.query<{ quiet: boolean }>(
    prepared(`select ${quietSql('s', point)} as quiet from alert_sessions s where s.id = $1`),
    [sessionId],
  );
  return rows[0]?.quiet ?? false;
}
