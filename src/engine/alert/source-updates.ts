import type { OnResolve } from '../../config/enums.ts';
import type { TimelineEventRow } from '../../db/entities/index.ts';
import type { TimelineEventType } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Headline, SessionSnapshot } from '../api/engine.ts';
import { decodeRow } from '../live/event-log.ts';
import { writeRowsIf, writeSession } from '../store/event-statement.ts';
import { headStart } from '../store/sessions.ts';
import { addTimelineEvent } from '../store/timeline.ts';

/** A message from the source of a session's alerts during the investigation. All texts are masked. */
export interface SourceUpdate {
  type: Extract<TimelineEventType, 'ALERT_JOINED' | 'ALERT_RESOLVED'>;
  content: string;
  /** One line per alert; only the first MAX_UPDATE_LINES are stored. */
  lines: readonly string[];
  /** Number of alerts, including those without a stored line. */
  count: number;
  /** Operator's choice of what follows when all alerts are resolved; `null` if alerts of the problem still fire. */
  onResolve: OnResolve | null;
}

export interface StoredSourceUpdate extends Omit<SourceUpdate, 'content'> {
  sequenceNumber: number;
  at: Date;
}

/** Maximum number of stored lines of an update, and of lines in a message to an agent. */
export const MAX_UPDATE_LINES = 20;

/**
 * Adds an update, which agents read before their next model call. Adds none and returns `null` if no worker
 * has ever claimed the session, or the session has ended.
 */
export async function addSourceUpdate(
  tx: Queryable,
  sessionId: string,
  { type, content, lines, count, onResolve }: SourceUpdate,
): Promise<TimelineEventRow | null> {
  const metadata = { alerts: lines.slice(0, MAX_UPDATE_LINES), count, on_resolve: onResolve };
  const item = { type, status: 'COMPLETED', content, metadata } as const;
  const change = addTimelineEvent({ stageId: null, executionId: null }, item);
  const [added] = (await writeRowsIf(tx, sessionId, { guard: RUNNING, values: [] }, [change])) ?? [];
  return added ? decodeRow<TimelineEventRow>(added.row) : null;
}

const RUNNING = `s.status in ('IN_PROGRESS', 'CANCELLING', 'WAITING_FOR_APPROVAL') or (s.status = 'PENDING' and s.attempt > 0)`;

/** Returns the updates after a sequence number, in order; if there are none, the session's last update. */
export async function readSourceUpdates(
  db: Queryable,
  sessionId: string,
  after: number,
): Promise<StoredSourceUpdate[]> {
  return (await db.query<StoredSourceUpdate>(prepared(READ_UPDATES), [sessionId, after])).rows;
}

const UPDATES_OF_SESSION = `session_id = $1 and type in ('ALERT_JOINED', 'ALERT_RESOLVED')`;
const READ_UPDATES = `select sequence_number as "sequenceNumber", type, created_at as at, metadata->'alerts' as lines,
    metadata->'count' as count, metadata->'on_resolve' as "onResolve"
  from timeline_events where ${UPDATES_OF_SESSION} and sequence_number >=
    least($2 + 1, (select max(sequence_number) from timeline_events where ${UPDATES_OF_SESSION}))
  order by sequence_number`;

interface PendingAlert {
  data: string;
  headline: Headline;
  /** Time (ms) from its creation that the session waits for more alerts. Shortens a longer wait; absent: no change. */
  waitMs?: number;
}

/** Replaces the alert of a session that never ran. Returns false if a worker has already claimed the session. */
export async function updatePendingAlert(
  db: Queryable,
  sessionId: string,
  { data, headline: { title, severity, entities }, waitMs }: PendingAlert,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update alert_sessions set alert_data = $2, title = $3, severity = $4, entities = $5,
       queue_at = least(queue_at, created_at - ${headStart('$4')}),
       run_at = case when run_at is null or $6::float8 is null then run_at
         else least(run_at, greatest(now(), created_at + $6 * interval '1 millisecond')) end
     where id = $1 and status = 'PENDING' and attempt = 0`,
    [sessionId, data, title, severity, entities, waitMs],
  );
  return rowCount === 1;
}

/** Stores when the source reported the problem as resolved. Returns `null` if that is already stored. */
export function markResolved(db: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(db, sessionId, {
    guard: 's.resolved_at is null',
    assign: 'resolved_at = now()',
  });
}

/** Clears a session's resolved time, because its alert fires again. `null` if not resolved, or already ended. */
export function markFiring(db: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(db, sessionId, {
    guard: 's.resolved_at is not null and s.completed_at is null',
    assign: 'resolved_at = null',
  });
}
