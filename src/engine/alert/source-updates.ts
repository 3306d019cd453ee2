import type { OnResolve } from '../../config/enums.ts';
import type { TimelineEventRow } from '../../db/entities/index.ts';
import type { TimelineEventType } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { decodeRow } from '../live/event-log.ts';
import { writeIf } from '../store/event-statement.ts';
import { addItem } from '../store/timeline.ts';

/** What the source of a session's alerts told while it was investigated. All texts are masked. */
export interface SourceUpdate {
  type: Extract<TimelineEventType, 'ALERT_JOINED' | 'ALERT_RESOLVED'>;
  /** For people. */
  content: string;
  /** A line for each alert, the first of them. */
  lines: readonly string[];
  /** Alerts that it is about. */
  count: number;
  /** Null: other alerts of the problem fire on. */
  onResolve: OnResolve | null;
}

/** News as an agent reads it. */
export interface StoredSourceUpdate extends Omit<SourceUpdate, 'content'> {
  sequenceNumber: number;
  at: Date;
}

/** Lines that are kept of one piece of news, and that one message tells an agent. */
export const MAX_UPDATE_LINES = 20;

/**
 * Shows news in the timeline of a session that was begun; its agents are told before their next call of the model. Null
 * when it has not begun, or has ended.
 */
export async function addSourceUpdate(
  tx: Queryable,
  sessionId: string,
  { type, content, lines, count, onResolve }: SourceUpdate,
): Promise<TimelineEventRow | null> {
  const metadata = { alerts: lines.slice(0, MAX_UPDATE_LINES), count, on_resolve: onResolve };
  const item = addItem(
    { stageId: null, executionId: null },
    { type, status: 'COMPLETED', content, metadata },
  );
  const [told] = (await writeIf(tx, sessionId, { guard: BEGUN, values: [] }, [item])) ?? [];
  return told ? decodeRow<TimelineEventRow>(told.row) : null;
}

const BEGUN = `s.status in ('IN_PROGRESS', 'CANCELLING', 'WAITING_FOR_APPROVAL') or (s.status = 'PENDING' and s.attempt > 0)`;

/** The session's news after this place in its timeline, in their order; the last of all is always among them. */
export async function readSourceUpdates(
  db: Queryable,
  sessionId: string,
  after: number,
): Promise<StoredSourceUpdate[]> {
  const { rows } = await db.query<NewsRow>(prepared(READ_NEWS), [sessionId, after]);
  return rows.map(({ metadata, ...row }) => ({
    ...row,
    lines: metadata.alerts,
    count: metadata.count,
    onResolve: metadata.on_resolve,
  }));
}

interface NewsRow extends Pick<StoredSourceUpdate, 'sequenceNumber' | 'at' | 'type'> {
  metadata: { alerts: string[]; count: number; on_resolve: OnResolve | null };
}

const OF_SESSION = `session_id = $1 and type in ('ALERT_JOINED', 'ALERT_RESOLVED')`;
const READ_NEWS = `select sequence_number as "sequenceNumber", type, metadata, created_at as at from timeline_events
  where ${OF_SESSION} and sequence_number >= least($2 + 1, (select max(sequence_number) from timeline_events where ${OF_SESSION}))
  order by sequence_number`;
