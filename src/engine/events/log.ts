import type { SessionEventType } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';

/** Channels of the database's NOTIFY. Payloads stay under its limit of 8000 bytes. */
export const CHANNELS = {
  /** `<session id>:<seq>:<type>`: a persisted event is in the log. */
  event: 'tarsy_event',
  /** A piece of streaming text, as JSON. */
  chunk: 'tarsy_chunk',
  /** `<session id>`: whoever runs this session shall stop. */
  cancel: 'tarsy_cancel',
} as const;

/**
 * Who may write for a session: the run that claimed it with this attempt number. A later claim raises the
 * number, and every write of an older run is refused from then on.
 */
export interface Fence {
  sessionId: string;
  attempt: number;
}

/** A change of one row and its event, in one statement. */
export interface LoggedWrite {
  sessionId: string;
  /** Condition on the session's row `s` under which the write happens. Parameters from $2. */
  guard: string;
  type: SessionEventType;
  /**
   * `insert …|update … returning *` on the row that changes, reading the CTE `locked` (id, attempt,
   * last_timeline_sequence). The row must have a session_id.
   */
  change: string;
  /** Further assignments to the session's row `s`; may read the changed row as `c`. */
  set?: string;
  values: unknown[];
}

/**
 * Runs the change and appends its event: row, sequence number and log commit together or not at all, and `db` has it
 * announced then. Locks the session's row first, so events are numbered in commit order without gaps.
 * @returns the changed row, or null when the guard or the change's own condition did not hold
 */
export async function writeLogged<T>(db: Queryable, write: LoggedWrite): Promise<T | null> {
  const sql = `
    with locked as (
      select s.id, s.attempt, s.last_timeline_sequence from alert_sessions s
      where s.id = $1 and (${write.guard}) for no key update
    ), changed as (
      ${write.change}
    ), bumped as (
      update alert_sessions s set last_event_seq = s.last_event_seq + 1${write.set ? `, ${write.set}` : ''}
      from changed c where s.id = c.session_id returning s.last_event_seq
    ), logged as (
      insert into session_events (session_id, seq, type, payload)
      select c.session_id, b.last_event_seq, '${write.type}', to_jsonb(c) from changed c, bumped b
      returning session_id, seq
    )
    select to_jsonb(c) as row, l.session_id || ':' || l.seq || ':${write.type}' as announced
    from changed c, logged l`;
  const { rows } = await db.query<{ row: Record<string, unknown> }>(prepared(sql), [
    write.sessionId,
    ...write.values,
  ]);
  return rows[0] ? decodeRow<T>(rows[0].row) : null;
}

/** Like writeLogged, for a change of the session's row itself: `assign` is its SET list. */
export async function writeSessionLogged<T>(
  db: Queryable,
  write: { sessionId: string; guard: string; assign: string; values: unknown[] },
): Promise<T | null> {
  const sql = `
    with changed as (
      update alert_sessions s set last_event_seq = s.last_event_seq + 1, ${write.assign}
      where s.id = $1 and (${write.guard}) returning s.*
    ), ${LOG_SESSION}`;
  const { rows } = await db.query<{ row: Record<string, unknown> }>(prepared(sql), [
    write.sessionId,
    ...write.values,
  ]);
  return rows[0] ? decodeRow<T>(rows[0].row) : null;
}

/** Ends a statement whose CTE `changed` is a session's row: logs it, without its alert text. */
export const LOG_SESSION = `
    logged as (
      insert into session_events (session_id, seq, type, payload)
      select c.id, c.last_event_seq, 'SessionStatusChanged', to_jsonb(c) - 'alert_data' from changed c
      returning session_id, seq
    )
    select to_jsonb(c) - 'alert_data' as row, l.session_id || ':' || l.seq || ':SessionStatusChanged' as announced
    from changed c, logged l`;

/** A row as the database prints it in JSON (column names, ISO times) → the entity's shape. */
export function decodeRow<T>(row: Record<string, unknown>): T {
  const decoded: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    const isMoment = column.endsWith('_at') && typeof value === 'string';
    decoded[propertyName(column)] = isMoment ? new Date(value) : value;
  }
  return decoded as T;
}

const propertyNames = new Map<string, string>();

function propertyName(column: string): string {
  let name = propertyNames.get(column);
  if (name === undefined) {
    name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    propertyNames.set(column, name);
  }
  return name;
}
