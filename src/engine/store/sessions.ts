import { type AuditRow, auditInsert } from '../../audit.ts';
import { toStorableJson } from '../../common/storable.ts';
import type { AlertSessionRow, McpSelectionValue } from '../../db/entities/index.ts';
import type { TerminalStatus } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Headline, SessionSnapshot } from '../api/engine.ts';
import { CHANNELS, decodeRow } from '../live/event-log.ts';
import { withdrawApprovals } from './approvals.ts';
import { FENCE_CONDITION, type Fence, type RowChange, writeSession } from './event-statement.ts';
import { closeOpenWork } from './open-work.ts';

/**
 * The states of a session, each change a compare-and-set that logs its event in the same statement:
 *
 *   PENDING ──claim──▶ IN_PROGRESS ──finish──▶ COMPLETED | FAILED | TIMED_OUT
 *      │ ▲                │  │                          ▲
 *      │ └────release─────┘  └─cancel─▶ CANCELLING ─────┴─finish─▶ CANCELLED
 *      └──cancel──▶ CANCELLED
 *
 *   IN_PROGRESS ──park──▶ WAITING_FOR_APPROVAL ──go on──▶ PENDING; a cancel ends it by way of CANCELLING
 *
 * A change that comes too late returns null; the caller decides what that means.
 */

export interface NewSession {
  id: string;
  alertType: string;
  alertData: string;
  headline: Headline;
  chainId: string;
  author: string;
  /** Whose it is; default: nobody's. */
  team?: string | null;
  runbookUrl: string | null;
  mcpSelection: McpSelectionValue | null;
  slackMessageFingerprint: string | null;
  /** The alerts of a source that it is about; default: none. */
  groupId?: string | null;
  /** It waits for so many milliseconds from now, that more alerts of its group may come in; default: not at all. */
  waitMs?: number;
}

/** Stores a session as PENDING with its first event. */
export async function insertSession(db: Queryable, session: NewSession): Promise<SessionSnapshot> {
  const [row] = await insertSessions(db, [{ session }]);
  return row!;
}

/**
 * Stores sessions likewise, each with the entry of the audit when a person or program made it: all of them, or none.
 * @returns them in their order
 */
export async function insertSessions(
  db: Queryable,
  added: readonly { session: NewSession; audit?: AuditRow }[],
): Promise<SessionSnapshot[]> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(prepared(INSERT_SESSIONS), [
    toStorableJson(added.map(({ session }) => ({ ...session, ...session.headline }))),
    toStorableJson(added.flatMap(({ audit }) => audit ?? [])),
  ]);
  const byId = new Map(rows.map(({ row }) => [row.id, row]));
  return added.map(({ session }) => decodeRow(byId.get(session.id)!));
}

const INSERT_SESSIONS = `with added as (
    insert into alert_sessions (id, alert_type, alert_data, chain_id, status, author, runbook_url, mcp_selection,
      slack_message_fingerprint, group_id, run_at, title, severity, entities, team, last_event_seq)
    select id, "alertType", "alertData", "chainId", 'PENDING', author, "runbookUrl", "mcpSelection",
      "slackMessageFingerprint", "groupId", case when "waitMs" > 0 then now() + "waitMs" * interval '1 millisecond' end,
      title, severity, entities, team, 1
    from json_to_recordset($1::json) as r (id uuid, "alertType" text, "alertData" text, "chainId" text, author text,
      "runbookUrl" text, "mcpSelection" jsonb, "slackMessageFingerprint" text, "groupId" uuid, "waitMs" int,
      title text, severity text, entities text[], team text)
    returning *
  ), logged as (
    insert into session_events (session_id, seq, type, payload)
    select n.id, 1, 'SessionStatusChanged', to_jsonb(n) - 'alert_data' from added n returning session_id, payload
  ), audited as (${auditInsert(2)})
  select payload as row, session_id || ':1:SessionStatusChanged' as announced from logged`;

/** Milliseconds since then; 0 where that is to come, or unknown. */
const msSince = (moment: string) =>
  `greatest(0, coalesce((extract(epoch from now() - ${moment}) * 1000)::bigint, 0))`;

/**
 * Takes a dispatched session: null when it is not waiting any more (cancelled, or claimed by another). That nobody ran it since the
 * last sign of life of its worker, or since it was parked, counts as waiting.
 */
export function claimSession(
  db: Queryable,
  sessionId: string,
  lease: { workerId: string; leaseMs: number },
): Promise<SessionSnapshot | null> {
  return writeSession(db, sessionId, {
    guard: `s.status = 'PENDING' and s.dispatched_at is not null`,
    assign: `status = 'IN_PROGRESS', worker_id = $2, attempt = s.attempt + 1,
      lease_expires_at = now() + $3 * interval '1 millisecond',
      started_at = coalesce(s.started_at, now()), last_interaction_at = now(), parked_at = null,
      waited_ms = case when s.started_at is null then 0
        else s.waited_ms + ${msSince('coalesce(s.parked_at, s.last_interaction_at)')} end`,
    values: [lease.workerId, lease.leaseMs],
  });
}

/**
 * Prolongs the lease of a run, be it of an investigation or of an answer, and tells whether it shall stop; null = the
 * lease is lost. One that had run out, as on a machine that slept, was nobody's work meanwhile.
 */
export async function renewLease(
  db: Queryable,
  fence: Fence,
  leaseMs: number,
): Promise<{ cancel: boolean } | null> {
  const { rows } = await db.query<{ cancel: boolean }>(
    prepared(`update alert_sessions s set lease_expires_at = now() + $3 * interval '1 millisecond', last_interaction_at = now(),
       waited_ms = s.waited_ms + ${msSince('s.lease_expires_at')}
     where s.id = $1 and ${FENCE_CONDITION} returning s.status = 'CANCELLING' or exists (
       select 1 from stages t where t.session_id = s.id and t.type = 'CHAT' and t.status in ('PENDING', 'ACTIVE')
         and t.cancel_requested_at is not null) as cancel`),
    [fence.sessionId, fence.attempt, leaseMs],
  );
  return rows[0] ?? null;
}

export interface SessionOutcome {
  status: TerminalStatus;
  finalAnalysis: string | null;
  executiveSummary: string | null;
  executiveSummaryError: string | null;
  errorMessage: string | null;
}

/**
 * Ends a session, with all that is open of it, and gives its slot back; null when it is not this run's any more.
 * @param more written with it
 */
export function finishSession(
  db: Queryable,
  fence: Fence,
  outcome: SessionOutcome,
  more: readonly RowChange[] = [],
): Promise<SessionSnapshot | null> {
  const change = {
    guard: FENCE_CONDITION,
    assign: `status = $3, final_analysis = $4, executive_summary = $5, executive_summary_error = $6, error_message = $7,
      completed_at = now(), dispatched_at = null, lease_expires_at = null, worker_id = null, current_stage_id = null`,
    values: [
      fence.attempt,
      outcome.status,
      outcome.finalAnalysis,
      outcome.executiveSummary,
      outcome.executiveSummaryError,
      outcome.errorMessage,
    ],
  };
  const open = outcome.status === 'COMPLETED' ? [withdrawApprovals] : closeOpenWork(outcome);
  return writeSession(db, fence.sessionId, change, [...open, ...more]);
}

/** Locks a session's row until the transaction ends; null when there is none. */
export async function lockSession(
  tx: Queryable,
  sessionId: string,
): Promise<Pick<AlertSessionRow, 'status' | 'attempt'> | null> {
  const { rows } = await tx.query<Pick<AlertSessionRow, 'status' | 'attempt'>>(
    'select status, attempt from alert_sessions where id = $1 and deleted_at is null for no key update',
    [sessionId],
  );
  return rows[0] ?? null;
}

/** Whether this run's session was cancelled, and has not ended yet. */
export async function isCancelling(db: Queryable, fence: Fence): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from alert_sessions where id = $1 and attempt = $2 and status = 'CANCELLING'`,
    [fence.sessionId, fence.attempt],
  );
  return rows.length > 0;
}

/** Cancels a session that waits and never ran, in place. Null when it is in another state. */
export function cancelPending(
  db: Queryable,
  sessionId: string,
  reason = 'Cancelled before it began.',
): Promise<SessionSnapshot | null> {
  return writeSession(db, sessionId, {
    guard: `s.status = 'PENDING' and s.attempt = 0`,
    assign: `status = 'CANCELLED', error_message = $2, completed_at = now(),
      dispatched_at = null, attempt = s.attempt + 1`,
    values: [reason],
  });
}

/** Asks the run of a session to stop. Null when it does not run. */
export function cancelRunning(db: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(db, sessionId, {
    guard: `s.status = 'IN_PROGRESS'`,
    assign: `status = 'CANCELLING'`,
    values: [],
  });
}

/** Tells the process that runs the session, or makes the score, to stop. */
export async function notifyCancel(db: Queryable, id: string): Promise<void> {
  await db.query(`select pg_notify('${CHANNELS.cancel}', $1)`, [id]);
}

/** A session with its alert text. */
export interface SessionWithAlert extends AlertSessionRow {
  /** A monitoring system sent its alerts, and may tell more of them. */
  hasSource: boolean;
}

/** Null when there is none. */
export async function readSession(db: Queryable, sessionId: string): Promise<SessionWithAlert | null> {
  const { rows } = await db.query<{ row: Record<string, unknown>; hasSource: boolean }>(
    prepared(`select to_jsonb(s) as row,
       s.group_id is not null or exists (select 1 from alert_groups g where g.session_id = s.id) as "hasSource"
     from alert_sessions s where id = $1 and deleted_at is null`),
    [sessionId],
  );
  return rows[0] ? { ...decodeRow<AlertSessionRow>(rows[0].row), hasSource: rows[0].hasSource } : null;
}

/**
 * Gives a running session back to the queue, where it goes on later; null when it is not this run's any more.
 * @param until when, at the earliest; its time limit begins anew then. Null: at once
 */
export function releaseSession(
  db: Queryable,
  fence: Fence,
  until: Date | null = null,
): Promise<SessionSnapshot | null> {
  return writeSession(db, fence.sessionId, {
    guard: `${FENCE_CONDITION} and s.status = 'IN_PROGRESS'`,
    assign: `status = 'PENDING', dispatched_at = null, lease_expires_at = null, worker_id = null,
      run_at = coalesce($3::timestamptz, s.run_at),
      started_at = case when $3::timestamptz is null then s.started_at end`,
    values: [fence.attempt, until],
  });
}

/**
 * Takes a session from a run whose lease ran out, or from nobody, to end it: the attempt goes up, so the old run
 * can write nothing more. Null when it is not in that state.
 */
export async function seizeSession(
  db: Queryable,
  sessionId: string,
  condition: 'LEASE_EXPIRED' | 'WAITING_AGAIN',
): Promise<Fence | null> {
  const guard =
    condition === 'LEASE_EXPIRED'
      ? `s.status in ('IN_PROGRESS', 'CANCELLING') and s.lease_expires_at < now()`
      : `(s.status = 'PENDING' and s.attempt > 0 or s.status = 'WAITING_FOR_APPROVAL')`;
  const row = await writeSession<SessionSnapshot>(db, sessionId, {
    guard,
    assign: `status = 'CANCELLING', attempt = s.attempt + 1, dispatched_at = coalesce(s.dispatched_at, now()),
      worker_id = null, lease_expires_at = now() + interval '60 seconds'`,
    values: [],
  });
  return row && { sessionId, attempt: row.attempt };
}

/** Sends a session whose lease ran out back to the queue: its worker counts as lost. Null when it is not in that state. */
export function requeueExpired(db: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(db, sessionId, {
    guard: `s.status = 'IN_PROGRESS' and s.lease_expires_at < now()`,
    assign: `status = 'PENDING', dispatched_at = null, lease_expires_at = null, worker_id = null,
      workers_lost = s.workers_lost + 1`,
    values: [],
  });
}

/** Gives a dispatched session's slot back that this process will not run after all. */
export async function undispatch(db: Queryable, sessionId: string): Promise<void> {
  await db.query(`update alert_sessions set dispatched_at = null where id = $1 and status = 'PENDING'`, [
    sessionId,
  ]);
}
