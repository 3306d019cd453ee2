import type { Logger } from 'pino';
import { TERMINAL_SESSION_STATUSES } from '../../db/enums.ts';
import { PARTITIONED_TABLES } from '../../db/partitions/months.ts';
import type { Queryable } from '../../db/queryable.ts';
import { removeMonths } from './retention-months.ts';

/** Number of sessions hidden per statement, which locks their rows while it runs. */
const HIDE_BATCH = 200;
/** Number of rows deleted per statement, because some sessions have tens of thousands. */
const REMOVE_BATCH = 1000;
/** Tables with most of a session's rows. They have no cascading foreign key, so their rows are deleted explicitly. */
const TABLES = PARTITIONED_TABLES;

interface RetentionDeps {
  db: Queryable;
  /** Days from the last activity of a session until it is hidden. */
  retentionDays: number;
  /** Days from hiding a session until its deletion, in which operators can still restore the session. */
  graceDays: number;
  /** Checked between batches; an abort leaves the rest to the next round. */
  signal: AbortSignal;
  logger: Logger;
  /** @default the current time */
  now?: Date;
}

/**
 * Hides old sessions that neither run, wait nor have an open question. Deletes sessions that were hidden long ago: whole
 * months with their partitions, other sessions with their rows. Each batch is one statement that skips locked rows, so that
 * it blocks no other writer.
 */
export async function applyRetention(deps: RetentionDeps): Promise<{ hidden: number; removed: number }> {
  const hidden = await hideOld(deps);
  const ofMonths = await removeMonths({ ...deps, removeRows: (sessionId) => removeRows(deps, sessionId) });
  const removed = ofMonths + (await removeHidden(deps));
  if (hidden + removed > 0) deps.logger.info({ hidden, removed }, 'old sessions cleaned up');
  return { hidden, removed };
}

async function hideOld({ db, retentionDays, signal }: RetentionDeps): Promise<number> {
  let hidden = 0;
  for (let batch = HIDE_BATCH; batch === HIDE_BATCH && !signal.aborted; hidden += batch) {
    const { rowCount } = await db.query(
      `update alert_sessions set deleted_at = now() where id in (
         select id from alert_sessions s
         where deleted_at is null and status = any($2::text[])
           and completed_at < now() - $1 * interval '1 day'
           and coalesce(last_interaction_at, completed_at) < now() - $1 * interval '1 day'
           and not exists (select 1 from stages where session_id = s.id and status in ('PENDING', 'ACTIVE'))
         order by completed_at limit ${HIDE_BATCH} for update skip locked)`,
      [retentionDays, TERMINAL_SESSION_STATUSES],
    );
    batch = rowCount ?? 0;
  }
  return hidden;
}

async function removeHidden(deps: RetentionDeps): Promise<number> {
  let removed = 0;
  let last = { id: '00000000-0000-0000-0000-000000000000', deletedAt: new Date(0) };
  while (!deps.signal.aborted) {
    const { rows } = await deps.db.query<typeof last>(
      `select id, deleted_at as "deletedAt" from alert_sessions
       where deleted_at < now() - $1 * interval '1 day' and (deleted_at, id) > ($2::timestamptz, $3::uuid)
       order by deleted_at, id limit 1`,
      [deps.graceDays, last.deletedAt, last.id],
    );
    if (!rows[0]) break;
    last = rows[0];
    if (await removeSession(deps, last.id)) removed += 1;
  }
  return removed;
}

/** Deletes a session. @returns false if `signal` aborted or the session is locked; the next round continues */
async function removeSession(deps: RetentionDeps, sessionId: string): Promise<boolean> {
  if (!(await removeRows(deps, sessionId))) return false;
  // Also deletes rows written meanwhile, because no process writes once the session's row is locked.
  const { rows } = await deps.db.query(
    `with gone as (
       delete from alert_sessions where id = (
         select id from alert_sessions where id = $1 and deleted_at is not null for update skip locked) returning id
     )${TABLES.map((table) => `, of_${table} as (delete from ${table} t using gone where t.session_id = $1 and t.session_id = gone.id)`).join('')}
     select id from gone`,
    [sessionId],
  );
  return rows.length === 1;
}

/** Deletes a session's rows in batches. @returns false if `signal` aborted */
async function removeRows({ db, signal }: RetentionDeps, sessionId: string): Promise<boolean> {
  for (const table of TABLES) {
    for (let rows = REMOVE_BATCH; rows === REMOVE_BATCH; ) {
      if (signal.aborted) return false;
      // With the session's id twice: a ctid identifies a row only within one partition, here that of the session.
      const { rowCount } = await db.query(
        `delete from ${table} where session_id = $1 and ctid = any(array(
           select ctid from ${table} where session_id = $1 limit ${REMOVE_BATCH} for update skip locked))`,
        [sessionId],
      );
      rows = rowCount ?? 0;
    }
  }
  return true;
}
