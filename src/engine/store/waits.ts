import type { SessionWait } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import { FENCE_CONDITION, type Fence, writeSession } from './event-statement.ts';

/*
 * A session that stands still has one reason, and every query reads it from WAIT_REASON. Some causes are stored with
 * the session (column `wait`), the others follow from its status:
 *
 *   PENDING with `wait`        parked: no slot until the cause is gone (`resumeParked`)
 *   PENDING                    GROUP_WAIT until `run_at`, then SLOT
 *   WAITING_FOR_APPROVAL       APPROVAL
 *   IN_PROGRESS with `wait`    the run itself waits, for its model or tools
 *   IN_PROGRESS, lease expired DEPENDENCY: its worker is lost
 */

/** SQL expression: the `WaitReason` of session `t`; null while it runs freely or has ended. */
export const WAIT_REASON = `case
    when t.status = 'WAITING_FOR_APPROVAL' then 'APPROVAL'
    when t.status = 'PENDING' and t.wait is not null then t.wait ->> 'reason'
    when t.status = 'PENDING' and t.attempt = 0 and t.run_at > now() then 'GROUP_WAIT'
    when t.status = 'PENDING' then 'SLOT'
    when t.status = 'IN_PROGRESS' and t.lease_expires_at < now() then 'DEPENDENCY'
    when t.status = 'IN_PROGRESS' then t.wait ->> 'reason'
  end`;

/** SQL condition: session `t` may have a reason to wait. Lets an index exclude ended sessions. */
export const MAY_WAIT = `t.status in ('PENDING', 'IN_PROGRESS', 'WAITING_FOR_APPROVAL') and t.deleted_at is null`;

/** SQL condition: session `t` may get a slot now. The functions that give slots use the same condition. */
export const IN_QUEUE = `t.status = 'PENDING' and t.dispatched_at is null and t.wait is null and t.deleted_at is null
  and (t.run_at is null or t.run_at <= now() or t.attempt > 0)`;

/** SQL value of a stored wait that begins now. @param parameter the parameter with the `SessionWait` */
const begun = (parameter: string) => `${parameter}::jsonb || jsonb_build_object('since', now())`;

/** Parks a dispatched session before its first claim, and releases its slot. `null` if it is in another state. */
export function parkUnbegun(
  db: Queryable,
  sessionId: string,
  wait: SessionWait,
): Promise<SessionSnapshot | null> {
  return writeSession(db, sessionId, {
    guard: `s.status = 'PENDING' and s.attempt = 0 and s.dispatched_at is not null and s.run_now_at is null`,
    assign: `dispatched_at = null, wait = ${begun('$2')}`,
    values: [wait],
  });
}

/** Parks a running session and releases its slot. Restarts its time limit. `null` if the run lost the session. */
export function parkRunning(db: Queryable, fence: Fence, wait: SessionWait): Promise<SessionSnapshot | null> {
  return writeSession(db, fence.sessionId, {
    guard: `${FENCE_CONDITION} and s.status = 'IN_PROGRESS'`,
    assign: `status = 'PENDING', dispatched_at = null, lease_expires_at = null, worker_id = null, started_at = null,
      wait = case when s.run_now_at is null then ${begun('$3')} end`,
    values: [fence.attempt, wait],
  });
}

/** Records that a running session waits. Does nothing if it waits already, or if the run lost the session. */
export async function beginRunWait(db: Queryable, fence: Fence, wait: SessionWait): Promise<void> {
  await writeSession(db, fence.sessionId, {
    guard: `${FENCE_CONDITION} and s.status = 'IN_PROGRESS' and s.wait is null`,
    assign: `wait = ${begun('$3')}`,
    values: [fence.attempt, wait],
  });
}

/** Records that a running session continues after the wait with this cause. */
export async function endRunWait(db: Queryable, fence: Fence, cause: string): Promise<void> {
  await writeSession(db, fence.sessionId, {
    guard: `${FENCE_CONDITION} and s.wait ->> 'cause' = $3`,
    assign: 'wait = null',
    values: [fence.attempt, cause],
  });
}

/**
 * Runs `work` for a running session. If `work` takes longer than `afterMs`, records `wait` on the session
 * until it ends.
 */
export async function withRunWait<T>(
  { db, fence }: { db: Queryable; fence: Fence },
  { wait, afterMs }: { wait: SessionWait; afterMs: number },
  work: () => Promise<T>,
): Promise<T> {
  let begun: Promise<void> | null = null;
  const timer = setTimeout(() => {
    begun = beginRunWait(db, fence, wait);
    begun.catch(() => {}); // awaited below
  }, afterMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    if (begun !== null) await Promise.allSettled([begun]).then(() => endRunWait(db, fence, wait.cause));
  }
}

/** Returns the causes for which sessions are parked. */
export async function readParkedCauses(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ cause: string }>(prepared(CAUSES));
  return rows.map(({ cause }) => cause);
}

const FIRST_CAUSE = (condition: string) => `select wait ->> 'cause' as cause from alert_sessions
  where wait is not null and status = 'PENDING' ${condition} order by wait ->> 'cause' limit 1`;

// Jumps along the index from cause to cause, so that the cost grows with the causes, not with the parked sessions.
const CAUSES = `with recursive causes as (
    (${FIRST_CAUSE('')})
    union all
    select (${FIRST_CAUSE(`and wait ->> 'cause' > c.cause`)}) from causes c where c.cause is not null
  )
  select cause from causes where cause is not null`;

/** Returns the parked sessions with these causes to the queue. @returns their number */
export async function resumeParked(db: Queryable, causes: readonly string[]): Promise<number> {
  const { rows } = await db.query(prepared(RESUME), [causes]);
  return rows.length;
}

// Skips rows that another transaction has locked; the next call resumes them.
const RESUME = `with locked as (
    select id from alert_sessions where status = 'PENDING' and wait is not null and wait ->> 'cause' = any($1)
    for no key update skip locked
  ), resumed as (
    update alert_sessions s set wait = null, last_event_seq = s.last_event_seq + 1
    from locked l where s.id = l.id returning to_jsonb(s) - 'alert_data' as payload
  ), logged as (
    insert into session_events (session_id, seq, type, payload)
    select (payload ->> 'id')::uuid, (payload ->> 'last_event_seq')::int, 'SessionStatusChanged', payload from resumed
    returning session_id, seq
  )
  select session_id || ':' || seq || ':SessionStatusChanged' as announced from logged`;

/**
 * Moves a waiting session to the front of the queue, past its group wait and its budgets.
 * @returns `null` if it does not wait for a slot, a budget or further alerts
 */
export function runNow(tx: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(tx, sessionId, {
    guard: `s.status = 'PENDING'`,
    assign: `wait = null, run_at = null, run_now_at = coalesce(s.run_now_at, now()),
      queue_at = least(s.queue_at, now() - interval '1 year')`,
  });
}
