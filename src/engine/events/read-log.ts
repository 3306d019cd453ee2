import type { TimelineEventRow } from '../../db/entities/index.ts';
import type { SessionEventType } from '../../db/enums.ts';
import type { LoggedEvent } from '../engine.ts';
import { NotFoundError } from '../errors.ts';
import { REPLAY_PAGE } from '../tunables.ts';
import { decodeRow, type Queryable } from './log.ts';
import { prepared } from './prepared.ts';

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
  while (last < throughSeq) {
    const page = await readPage(db, sessionId, last, throughSeq);
    if (page.length === 0) return; // deleted meanwhile
    yield* page;
    last = page.at(-1)?.seq ?? throughSeq;
  }
}

/** Up to REPLAY_PAGE events after `afterSeq`. */
export async function readPage(
  db: Queryable,
  sessionId: string,
  afterSeq: number,
  throughSeq: number,
): Promise<LoggedEvent[]> {
  const { rows } = await db.query<{
    seq: number;
    type: SessionEventType;
    payload: Record<string, unknown>;
    created_at: Date;
  }>(
    prepared(`select seq, type, payload, created_at from session_events
     where session_id = $1 and seq > $2 and seq <= $3 order by seq limit ${REPLAY_PAGE}`),
    [sessionId, afterSeq, throughSeq],
  );
  return rows.map(
    ({ seq, type, payload, created_at }) =>
      ({ kind: 'event', sessionId, seq, type, at: created_at, row: decodeRow(payload) }) as LoggedEvent,
  );
}

/** Where the log ends, and the timeline events whose text is growing, as of one moment. */
export async function readEdge(
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
export async function readContent(db: Queryable, timelineEventId: string): Promise<string | null> {
  const { rows } = await db.query<{ content: string }>(
    prepared('select content from timeline_events where id = $1'),
    [timelineEventId],
  );
  return rows[0]?.content ?? null;
}
