import { NotFoundError } from '../../common/errors.ts';
import type { TimelineEventRow } from '../../db/entities/index.ts';
import type { SessionEventType } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { LoggedEvent } from '../api/engine.ts';

/** Whoever follows sessions looks this often (ms) for what was not announced: by a process that died, for one. */
export const POLL_MS = 1_000;

/** Events read from the log at once, and their bytes (the last event may exceed them): bounds the memory of a replay. */
export const REPLAY_PAGE = 500;

export const REPLAY_PAGE_BYTES = 256 * 1024;

/** … the first time, when nothing is known of their size. */
export const REPLAY_FIRST_PAGE = 100;

/** A number that no event reaches (seq is a 32-bit integer). */
export const END_OF_LOG = 2 ** 31 - 1;

/** The session's log after `afterSeq` and up to `throughSeq`, in order, read page by page. */
export async function* readLog(
  db: Queryable,
  sessionId: string,
  afterSeq: number,
  throughSeq: number,
): AsyncGenerator<LoggedEvent> {
  let last = afterSeq;
  let rows = REPLAY_FIRST_PAGE;
  while (last < throughSeq) {
    const { events, bytes } = await readLogPage(db, sessionId, { afterSeq: last, throughSeq, rows });
    if (events.length === 0) return; // deleted meanwhile
    yield* events;
    last = events.at(-1)?.seq ?? throughSeq;
    rows = Math.min(Math.ceil((REPLAY_PAGE_BYTES * events.length) / bytes), REPLAY_PAGE);
  }
}

/** A part of a log. */
export interface LogPage {
  events: LoggedEvent[];
  /** Of the payloads, as text. */
  bytes: number;
  /** Whether the log may go on after it. */
  more: boolean;
}

/** Which part: at most so many events, and of those at most REPLAY_PAGE_BYTES, or one. */
export interface LogRange {
  afterSeq: number;
  throughSeq: number;
  rows: number;
}

/** How large the events are is known only once they are written as text, which is done once. */
const PAGE = `
  select seq, type, payload, created_at, size, counted from (
    select p.*, octet_length(payload) as size, count(*) over () as counted,
      sum(octet_length(payload)) over (order by seq rows unbounded preceding) as bytes
    from (
      select seq, type, payload::text as payload, created_at from session_events
      where session_id = $1 and seq > $2 and seq <= $3 order by seq limit $4
    ) p
  ) q where bytes - size < ${REPLAY_PAGE_BYTES} order by seq`;

export async function readLogPage(db: Queryable, sessionId: string, range: LogRange): Promise<LogPage> {
  const { rows } = await db.query<{
    seq: number;
    type: SessionEventType;
    payload: string;
    created_at: Date;
    size: number;
    counted: number;
  }>(prepared(PAGE), [sessionId, range.afterSeq, range.throughSeq, range.rows]);
  const events = rows.map(({ seq, type, payload, created_at }) => {
    const row = decodeRow(JSON.parse(payload) as Record<string, unknown>);
    return { kind: 'event', sessionId, seq, type, at: created_at, row } as LoggedEvent;
  });
  const counted = rows[0]?.counted ?? 0;
  return {
    events,
    bytes: rows.reduce((sum, { size }) => sum + size, 0),
    more: counted >= range.rows || events.length < counted,
  };
}

/** Where the log ends, and the timeline events whose text is growing, as of one moment. */
export async function readLogEnd(
  db: Queryable,
  sessionId: string,
): Promise<{ seq: number; streaming: Pick<TimelineEventRow, 'id' | 'type' | 'content'>[] }> {
  const { rows } = await db.query<{
    seq: number;
    streaming: Pick<TimelineEventRow, 'id' | 'type' | 'content'>[];
  }>(
    `select s.last_event_seq as seq, coalesce((
       select jsonb_agg(jsonb_build_object('id', t.id, 'type', t.type, 'content', t.content) order by t.sequence_number)
       from timeline_events t where t.session_id = s.id and t.status = 'STREAMING'), '[]') as streaming
     from alert_sessions s where s.id = $1 and s.deleted_at is null`,
    [sessionId],
  );
  if (!rows[0]) throw new NotFoundError(`There is no session ${sessionId}.`);
  return rows[0];
}

/** The text of a timeline event as the database has it now; null when it is gone. */
export async function readTimelineText(db: Queryable, timelineEventId: string): Promise<string | null> {
  const { rows } = await db.query<{ content: string }>(
    prepared('select content from timeline_events where id = $1'),
    [timelineEventId],
  );
  return rows[0]?.content ?? null;
}

/** Channels of the database's NOTIFY. Payloads stay under its limit of 8000 bytes. */
export const CHANNELS = {
  /** `<session id>:<seq>:<type>`: a persisted event is in the log. */
  event: 'tarsy_event',
  /** A piece of streaming text, as JSON. */
  chunk: 'tarsy_chunk',
  /** `<session id>` or `<score id>`: whoever runs this session, or makes this score, shall stop. */
  cancel: 'tarsy_cancel',
} as const;

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

/** `stage_id` → `stageId` */
export function propertyName(column: string): string {
  let name = propertyNames.get(column);
  if (name === undefined) {
    name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    propertyNames.set(column, name);
  }
  return name;
}
