import { type AuditRow, auditInsert } from '../../audit.ts';
import { toStorableJson } from '../../common/storable.ts';
import type { AlertSessionRow, McpSelectionValue } from '../../db/entities/index.ts';
import type { TerminalStatus } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Headline, SessionSnapshot } from '../api/engine.ts';
import { CHANNELS, readRows } from '../live/event-log.ts';
import { withdrawApprovals } from './approvals.ts';
import { FENCE_CONDITION, type Fence, type RowChange, writeSession } from './event-statement.ts';
import { closeOpenWork } from './open-work.ts';

/**
 * The states of a session. Each change is a compare-and-set that logs its event in the same statement:
 *
 *   PENDING ──claim──▶ IN_PROGRESS ──finish──▶ COMPLETED | FAILED | TIMED_OUT
 *      │ ▲                │  │                          ▲
 *      │ └────release─────┘  └─cancel─▶ CANCELLING ─────┴─finish─▶ CANCELLED
 *      └──cancel──▶ CANCELLED
 *
 *   IN_PROGRESS ──park──▶ WAITING_FOR_APPROVAL ──resume──▶ PENDING; a cancel ends it through CANCELLING
 */

export interface NewSession {
  id: string;
  alertType: string;
  alertData: string;
  headline: Headline;
  chainId: string;
  author: string;
  team?: string | null;
  runbookUrl: string | null;
  mcpSelection: McpSelectionValue | null;
  slackMessageFingerprint: string | null;
  groupId?: string | null;
  /** Time that the session waits for further alerts of its group before it may run (ms). @default 0 */
  waitMs?: number;
}

export async function insertSession(db: Queryable, session: NewSession): Promise<SessionSnapshot> {
  const [row] = await insertSessions(db, [{ session }]);
  return row!;
}

/** Stores sessions as PENDING with first events and audit entries, all or none. Returns them in the given order. */
export async function insertSessions(
  db: Queryable,
  added: readonly { session: NewSession; audit?: AuditRow }[],
): Promise<SessionSnapshot[]> {
  const stored = await readRows<SessionSnapshot>(db, prepared(INSERT_SESSIONS), [
    toStorableJson(added.map(({ session }) => ({ ...session, ...session.headline }))),
    toStorableJson(added.flatMap(({ audit }) => audit ?? [])),
  ]);
  const byId = new Map(stored.map((session) => [session.id, session]));
  return added.map(({ session }) => byId.get(session.id)!);
}

/**
 * Head start in the queue by severity (minutes): such an alert runs before less severe ones that arrived up
 * to this much earlier. The limit keeps less severe alerts from waiting too long. An unknown severity has a
 * head start because it may be high.
 */
const HEAD_START_MINUTES = { CRITICAL: 60, ERROR: 30, WARNING: 10, UNKNOWN: 10 };

/** Returns the SQL interval of a severity's head start in the queue. */
export function headStart(severity: string): string {
  const cases = Object.entries(HEAD_START_MINUTES).map(([name, minutes]) => `when '${name}' then ${minutes}`);
  return `make_interval(mins => case ${severity} ${cases.join(' ')} else 0 end)`;
}

const INSERT_SESSIONS = `with added as (
    insert into alert_sessions (id, alert_type, alert_data, chain_id, status, author, runbook_url, mcp_selection,
      slack_message_fingerprint, group_id, run_at, queue_at, title, severity, entities, team, last_event_seq)
    select id, "alertType", "alertData", "chainId", 'PENDING', author, "runbookUrl", "mcpSelection",
      "slackMessageFingerprint", "groupId", case when "waitMs" > 0 then now() + "waitMs" * interval '1 millisecond' end,
      now() - ${headStart('severity')}, title, severity, entities, team, 1
    from json_to_recordset($1::json) as r (id uuid, "alertType" text, "alertData" text, "chainId" text, author text,
      "runbookUrl" text, "mcpSelection" jsonb, "slackMessageFingerprint" text, "groupId" uuid, "waitMs" int,
      title text, severity text, entities text[], team text)
    returning *
  ), logged as (
    insert into session_events (session_id, seq, type, payload)
    select n.id, 1, 'SessionStatusChanged', to_jsonb(n) - 'alert_data' from added n returning session_id, payload
  ), audited as (${auditInsert(2)})
  select payload as row, session_id || ':1:SessionStatusChanged' as announced from logged`;

/** Returns the SQL expression of the time since `moment` (ms); 0 if `moment` is in the future or null. */
const msSince = (moment: string) =>
  `greatest(0, coalesce((extract(epoch from now() - ${moment}) * 1000)::bigint, 0))`;

/**
 * Claims a dispatched session. The time since its last heartbeat, or since it was parked, counts as waiting time.
 * @returns `null` if it is cancelled or claimed by another worker
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
      started_at = coalesce(s.started_at, now()), last_interaction_at = now(), parked_at = null, wait = null,
      waited_ms = case when s.started_at is null then 0
        else s.waited_ms + ${msSince('coalesce(s.parked_at, s.last_interaction_at)')} end`,
    values: [lease.workerId, lease.leaseMs],
  });
}

/**
 * Renews the lease of an investigation or an answer; `null` if the lease is lost. The time since a lease expired, as on
 * a machine that slept, counts as waiting time. `cancel`: true if the run must stop; `conclude`: if it must conclude.
 */
export async function renewLease(
  db: Queryable,
  fence: Fence,
  leaseMs: number,
): Promise<{ cancel: boolean; conclude: boolean } | null> {
  const { rows } = await db.query<{ cancel: boolean; conclude: boolean }>(
    prepared(`update alert_sessions s set lease_expires_at = now() + $3 * interval '1 millisecond', last_interaction_at = now(),
       waited_ms = s.waited_ms + ${msSince('s.lease_expires_at')}
     where s.id = $1 and ${FENCE_CONDITION} returning s.status = 'CANCELLING' or exists (
       select 1 from stages t where t.session_id = s.id and t.type = 'CHAT' and t.status in ('PENDING', 'ACTIVE')
         and t.cancel_requested_at is not null) as cancel,
       s.status = 'IN_PROGRESS' and s.conclude_requested_at is not null as conclude`),
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

/** Ends a session and, unless it completed, its open work. Releases its slot. `null` if the run lost the session. */
export function finishSession(
  db: Queryable,
  fence: Fence,
  outcome: SessionOutcome,
  more: readonly RowChange[] = [],
): Promise<SessionSnapshot | null> {
  const { status, finalAnalysis, executiveSummary, executiveSummaryError, errorMessage } = outcome;
  const change = {
    guard: FENCE_CONDITION,
    assign: `status = $3, final_analysis = $4, executive_summary = $5, executive_summary_error = $6, error_message = $7,
      completed_at = now(), dispatched_at = null, lease_expires_at = null, worker_id = null, current_stage_id = null`,
    values: [fence.attempt, status, finalAnalysis, executiveSummary, executiveSummaryError, errorMessage],
  };
  const open = status === 'COMPLETED' ? [withdrawApprovals()] : closeOpenWork(outcome);
  return writeSession(db, fence.sessionId, change, [...open, ...more]);
}

/** Locks a session's row until the transaction ends. Returns `null` if the session does not exist or is deleted. */
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

export async function isCancelling(db: Queryable, fence: Fence): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from alert_sessions where id = $1 and attempt = $2 and status = 'CANCELLING'`,
    [fence.sessionId, fence.attempt],
  );
  return rows.length > 0;
}

/** Cancels a pending session that never ran. Returns `null` if it is in another state. */
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

/** Marks a running session as being cancelled. Returns `null` if it does not run. */
export function cancelRunning(db: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(db, sessionId, {
    guard: `s.status = 'IN_PROGRESS'`,
    assign: `status = 'CANCELLING'`,
  });
}

/** Notifies the process that runs a session or score that it must stop. @param id of the session or score */
export async function notifyCancel(db: Queryable, id: string): Promise<void> {
  await db.query(`select pg_notify('${CHANNELS.cancel}', $1)`, [id]);
}

/** Stores that a session must conclude. Returns `null` if it already must, has not begun, or has ended. */
export function requestConclusion(
  db: Queryable,
  sessionId: string,
  changes: readonly RowChange[],
): Promise<SessionSnapshot | null> {
  const change = {
    guard: `s.conclude_requested_at is null and (s.status in ('IN_PROGRESS', 'WAITING_FOR_APPROVAL') or s.status = 'PENDING' and s.attempt > 0)`,
    assign: 'conclude_requested_at = now()',
  };
  return writeSession(db, sessionId, change, changes);
}

/** Notifies the process that runs a session that it must conclude. */
export async function notifyConclude(db: Queryable, id: string): Promise<void> {
  await db.query(`select pg_notify('${CHANNELS.conclude}', $1)`, [id]);
}

/** A session with its alert text. `hasSource`: a monitoring system sent its alerts and may send updates. */
export type SessionWithAlert = AlertSessionRow & { hasSource: boolean; isReplay: boolean };

/** Returns a session; `null` if it does not exist or is deleted. */
export async function readSession(db: Queryable, sessionId: string): Promise<SessionWithAlert | null> {
  const sql = `select to_jsonb(s) || jsonb_build_object('has_source',
      s.group_id is not null or exists (select 1 from alert_groups g where g.session_id = s.id),
      'is_replay', exists (select 1 from replays p where p.session_id = s.id)) as row
    from alert_sessions s where id = $1 and deleted_at is null`;
  const [session = null] = await readRows<SessionWithAlert>(db, prepared(sql), [sessionId]);
  return session;
}

/** Releases a running session to the queue. Returns `null` if the run no longer owns the session. */
export function releaseSession(db: Queryable, fence: Fence): Promise<SessionSnapshot | null> {
  return writeSession(db, fence.sessionId, {
    guard: `${FENCE_CONDITION} and s.status = 'IN_PROGRESS'`,
    assign: `status = 'PENDING', dispatched_at = null, lease_expires_at = null, worker_id = null, wait = null`,
    values: [fence.attempt],
  });
}

/**
 * Takes over a session to end it. Raises the attempt, so that writes of an old run are refused.
 * @returns `null` if the session is not in the state of `condition`
 */
export async function seizeSession(
  db: Queryable,
  sessionId: string,
  condition: keyof typeof SEIZABLE,
): Promise<Fence | null> {
  const row = await writeSession(db, sessionId, {
    guard: SEIZABLE[condition],
    assign: `status = 'CANCELLING', attempt = s.attempt + 1, dispatched_at = coalesce(s.dispatched_at, now()),
      worker_id = null, lease_expires_at = now() + interval '60 seconds'`,
  });
  return row && { sessionId, attempt: row.attempt };
}

const SEIZABLE = {
  LEASE_EXPIRED: `s.status in ('IN_PROGRESS', 'CANCELLING') and s.lease_expires_at < now()`,
  WAITING_AGAIN: `s.status = 'PENDING' and s.attempt > 0 or s.status = 'WAITING_FOR_APPROVAL'`,
};

/** Requeues a session whose lease expired, and counts a lost worker. Returns `null` if it has not expired. */
export function requeueExpired(db: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(db, sessionId, {
    guard: `s.status = 'IN_PROGRESS' and s.lease_expires_at < now()`,
    assign: `status = 'PENDING', dispatched_at = null, lease_expires_at = null, worker_id = null, wait = null,
      workers_lost = s.workers_lost + 1`,
  });
}

/** Releases the slot of a dispatched session, because this process will not run it. */
export async function undispatch(db: Queryable, sessionId: string): Promise<void> {
  const sql = `update alert_sessions set dispatched_at = null where id = $1 and status = 'PENDING'`;
  await db.query(sql, [sessionId]);
}

/** SQL interval after which unclaimed work counts as abandoned if no job waits for it. A worker claims within milliseconds. */
export const UNCLAIMED_AFTER = `interval '5 seconds'`;
