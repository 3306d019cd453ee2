import { NotFoundError } from '../../common/errors.ts';
import type { TimelineEventRow } from '../../db/entities/index.ts';
import type { SessionEventType } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { LoggedEvent } from '../api/engine.ts';

/** Interval of polling the log (ms), which finds events without a notice, for example of a process that died. */
export const POLL_MS = 1_000;

/** Maximum number of events of one read, and of their bytes, to bound memory. The last event may exceed the bytes. */
export const REPLAY_PAGE = 500;
const REPLAY_PAGE_BYTES = 256 * 1024;

/** Maximum number of events of the first read, while their size is not known. */
const REPLAY_FIRST_PAGE = 100;

/** A sequence number that no event reaches (32-bit integer). */
export const END_OF_LOG = 2 ** 31 - 1;

/** Yields the session's events after `afterSeq` up to `throughSeq`, in order, read page by page. */
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
    if (events.length === 0) return; // the session was deleted in the meantime
    yield* events;
    last = events.at(-1)!.seq;
    rows = Math.min(Math.ceil((REPLAY_PAGE_BYTES * events.length) / bytes), REPLAY_PAGE);
  }
}

/** Selects one page. Converts each payload to text once, because its size and the result need the text. */
const PAGE = `
  select seq, type, payload, created_at, size, counted from (
    select p.*, octet_length(payload) as size, count(*) over () as counted,
      sum(octet_length(payload)) over (order by seq rows unbounded preceding) as bytes
    from (
      select seq, type, payload::text as payload, created_at from session_events
      where session_id = $1 and seq > $2 and seq <= $3 order by seq limit $4
    ) p
  ) q where bytes - size < ${REPLAY_PAGE_BYTES} order by seq`;

interface PageRow {
  seq: number;
  type: SessionEventType;
  payload: string;
  created_at: Date;
  size: number;
  counted: number;
}

/** Reads at most `rows` events of at most REPLAY_PAGE_BYTES, but at least one. `more`: true if others may follow. */
export async function readLogPage(
  db: Queryable,
  sessionId: string,
  range: { afterSeq: number; throughSeq: number; rows: number },
): Promise<{ events: LoggedEvent[]; bytes: number; more: boolean }> {
  const values = [sessionId, range.afterSeq, range.throughSeq, range.rows];
  const { rows } = await db.query<PageRow>(prepared(PAGE), values);
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

/** Returns the log's last sequence number and the streaming timeline events at that time. @throws NotFoundError */
export async function readLogEnd(db: Queryable, sessionId: string) {
  const { rows } = await db.query<{
    seq: number;
    streaming: Pick<TimelineEventRow, 'id' | 'type' | 'content'>[];
  }>(
    prepared(`select s.last_event_seq as seq, coalesce((
       select jsonb_agg(jsonb_build_object('id', t.id, 'type', t.type, 'content', t.content) order by t.sequence_number)
       from timeline_events t where t.session_id = $1 and t.status = 'STREAMING'), '[]') as streaming
     from alert_sessions s where s.id = $1 and s.deleted_at is null`),
    [sessionId],
  );
  if (!rows[0]) throw new NotFoundError(`There is no session ${sessionId}.`);
  return rows[0];
}

/** Returns the stored text of a timeline event; `null` if it is deleted. */
export async function readTimelineText(
  db: Queryable,
  sessionId: string,
  timelineEventId: string,
): Promise<string | null> {
  const { rows } = await db.query<{ content: string }>(
    prepared('select content from timeline_events where session_id = $1 and id = $2'),
    [sessionId, timelineEventId],
  );
  return rows[0]?.content ?? null;
}

/** The NOTIFY channels. Payloads must stay under PostgreSQL's limit of 8000 bytes. */
export const CHANNELS = {
  /** `<session id>:<seq>:<type>`: an event was appended to the log. */
  event: 'tarsy_event',
  chunk: 'tarsy_chunk',
  /** `<session id>` or `<score id>`: the worker that runs it must stop. */
  cancel: 'tarsy_cancel',
  /** `<session id>`: the worker that runs it must conclude. */
  conclude: 'tarsy_conclude',
  /** No payload: notices over NATS do not reach a process, so all publishers must use NOTIFY too for a while. */
  request: 'tarsy_request',
} as const;

/** Runs a statement that selects each row as JSON in a column `row`. Returns the rows as entities. */
export async function readRows<T>(
  db: Queryable,
  statement: Parameters<Queryable['query']>[0],
  values: unknown[],
): Promise<T[]> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(statement, values);
  return rows.map(({ row }) => decodeRow<T>(row));
}

/** Converts a row from the database's JSON (column names, ISO times) to the entity's shape. */
export function decodeRow<T>(row: Record<string, unknown>): T {
  const decoded: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    const isMoment = column.endsWith('_at') && typeof value === 'string';
    decoded[propertyName(column)] = isMoment ? new Date(value) : value;
  }
  return decoded as T;
}

const propertyNames = new Map<string, string>();

/** Returns the property of a column: `stageId` for `stage_id`. */
export function propertyName(column: string): string {
  let name = propertyNames.get(column);
  if (name === undefined) {
    name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    propertyNames.set(column, name);
  }
  return name;
}
