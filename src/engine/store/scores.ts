import type { ScoreRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { decodeRow, readRows } from '../live/event-log.ts';
import { columnTypes, type Fence, type RowChange, type RowWriter, writeSession } from './event-statement.ts';
import { UNCLAIMED_AFTER } from './sessions.ts';

/** Requester of automatic scores. */
export const AUTOMATIC = 'auto';

const OPEN = `status in ('PENDING', 'IN_PROGRESS')`;

const NEW_SCORE: RowWriter = {
  name: 'score',
  columns: columnTypes('id uuid, requested_by text'),
  sql: (
    rows,
  ) => `insert into scores (id, session_id, requested_by) select r.id, l.id, r.requested_by from locked l, ${rows}
    on conflict (session_id) where ${OPEN} do nothing`,
};

/** Requests a score of a session, unless it has an open one. */
export const addScore = (id: string, requestedBy: string): RowChange => ({
  writer: NEW_SCORE,
  row: { id, requestedBy },
});

/** Returns the session's open score; `null` if there is none. The caller must have locked the session's row. */
export async function findOpenScore(tx: Queryable, sessionId: string): Promise<ScoreRow | null> {
  const sql = prepared(`select to_jsonb(t) as row from scores t where session_id = $1 and ${OPEN}`);
  const [open = null] = await readRows<ScoreRow>(tx, sql, [sessionId]);
  return open;
}

/** Identifies a run that claimed a score. `attempt` counts the claims of the score. */
export interface ScoreFence extends Fence {
  scoreId: string;
}

/**
 * Claims a score. Must run in a transaction. An expired lease counts as a lost worker.
 * @returns `null` if it has ended or is claimed, or its session is deleted. `elapsedMs`: time since the first claim
 */
export async function claimScore(
  tx: Queryable,
  scoreId: string,
  leaseMs: number,
): Promise<{ fence: ScoreFence; score: ScoreRow; elapsedMs: number } | null> {
  // Locks the session's row first, as every write does, so that writers cannot deadlock.
  const locked = await tx.query<{ id: string }>(
    `select s.id from alert_sessions s join scores t on t.session_id = s.id
     where t.id = $1 and t.${OPEN} and s.deleted_at is null for no key update of s`,
    [scoreId],
  );
  const sessionId = locked.rows[0]?.id;
  if (sessionId === undefined) return null;
  const { rows } = await tx.query<{ row: Record<string, unknown>; elapsed: number }>(
    `update scores t set status = 'IN_PROGRESS', attempt = attempt + 1, started_at = coalesce(started_at, now()),
       workers_lost = workers_lost + (lease_expires_at is not null)::int, lease_expires_at = now() + $2 * interval '1 millisecond'
     where id = $1 and ${OPEN} and (lease_expires_at is null or lease_expires_at < now())
     returning to_jsonb(t) as row, extract(epoch from now() - t.started_at)::float8 * 1000 as elapsed`,
    [scoreId, leaseMs],
  );
  if (!rows[0]) return null;
  const score = decodeRow<ScoreRow>(rows[0].row);
  await touchSession(tx, sessionId);
  const fence = { sessionId, scoreId, attempt: score.attempt };
  return { fence, score, elapsedMs: Math.max(0, rows[0].elapsed) };
}

/** Logs a session event, so that subscribers read the score again. Does nothing if the session is deleted. */
async function touchSession(
  tx: Queryable,
  sessionId: string,
  changes: readonly RowChange[] = [],
): Promise<void> {
  const change = { guard: 's.deleted_at is null', assign: 'last_interaction_at = now()' };
  await writeSession(tx, sessionId, change, changes);
}

/** Renews the lease of a score; `null` if the lease is lost. `cancel`: true if the run must stop. */
export async function renewScore(
  db: Queryable,
  { scoreId, attempt }: ScoreFence,
  leaseMs: number,
): Promise<{ cancel: boolean } | null> {
  const { rows } = await db.query<{ cancel: boolean }>(
    prepared(`update scores set lease_expires_at = now() + $3 * interval '1 millisecond'
      where id = $1 and attempt = $2 and status = 'IN_PROGRESS' returning cancel_requested_at is not null as cancel`),
    [scoreId, attempt, leaseMs],
  );
  return rows[0] ?? null;
}

export type ScoreResult = Pick<
  ScoreRow,
  | 'total'
  | 'dimensions'
  | 'failureTags'
  | 'analysis'
  | 'toolReport'
  | 'modelName'
  | 'promptHash'
  | 'errorMessage'
>;

const SCORE_CHANGE: RowWriter = {
  name: 'score_change',
  columns: columnTypes(
    `id uuid, attempt int, status text, total int, dimensions jsonb, failure_tags text[], analysis text, tool_report text,
     model_name text, prompt_hash text, error_message text`,
  ),
  sql: (
    rows,
  ) => `update scores t set status = r.status, lease_expires_at = null, total = r.total, dimensions = r.dimensions,
      failure_tags = coalesce(r.failure_tags, '{}'), analysis = r.analysis, tool_report = r.tool_report,
      model_name = r.model_name, prompt_hash = r.prompt_hash, error_message = r.error_message,
      completed_at = case when r.status in ('COMPLETED', 'FAILED') then now() end
    from locked l, ${rows} where t.id = r.id and t.session_id = l.id and t.attempt = r.attempt and t.status = 'IN_PROGRESS'`,
};

/** Ends a score. Does nothing if the run no longer owns it. */
export async function endScore(
  tx: Queryable,
  { sessionId, scoreId: id, attempt }: ScoreFence,
  status: 'COMPLETED' | 'FAILED',
  result: ScoreResult,
): Promise<void> {
  await touchSession(tx, sessionId, [{ writer: SCORE_CHANGE, row: { id, attempt, status, ...result } }]);
}

/** Requeues a score. Another worker starts it from the beginning. */
export async function releaseScore(
  tx: Queryable,
  { sessionId, scoreId: id, attempt }: ScoreFence,
): Promise<void> {
  await touchSession(tx, sessionId, [{ writer: SCORE_CHANGE, row: { id, attempt, status: 'PENDING' } }]);
}

/** Requests that the session's open score stops. Returns the score's id; `null` if no score is open. */
export async function requestScoreCancel(tx: Queryable, sessionId: string): Promise<string | null> {
  const { rows } = await tx.query<{ id: string }>(
    `update scores set cancel_requested_at = coalesce(cancel_requested_at, now()) where session_id = $1 and ${OPEN} returning id`,
    [sessionId],
  );
  return rows[0]?.id ?? null;
}

/** Returns the ids of at most 100 open scores whose lease expired, or that no worker has claimed for `UNCLAIMED_AFTER`. */
export async function findAbandonedScores(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select t.id from scores t join alert_sessions s on s.id = t.session_id
     where t.${OPEN} and s.deleted_at is null and (t.lease_expires_at < now()
       or t.lease_expires_at is null and t.created_at < now() - ${UNCLAIMED_AFTER})
     order by t.id limit 100`,
  );
  return rows.map(({ id }) => id);
}

export async function readOfferedTools(db: Queryable, sessionId: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    prepared(`select distinct tool ->> 'name' as name from mcp_interactions m, jsonb_array_elements(m.available_tools) tool
     where m.session_id = $1 and m.type = 'TOOL_LIST' and jsonb_typeof(m.available_tools) = 'array' order by name`),
    [sessionId],
  );
  return rows.map(({ name }) => name);
}
