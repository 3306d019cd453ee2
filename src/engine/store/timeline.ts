import { uuidv7 } from '../../common/uuidv7.ts';
import type { TimelineEventStatus, TimelineEventType } from '../../db/enums.ts';
import { columnTypes, insertInto, type RowChange, type RowWriter } from './event-statement.ts';

/** The stage and execution that a row belongs to; both `null` for the session itself. */
export interface ExecutionIds {
  stageId: string | null;
  executionId: string | null;
}

export interface NewTimelineEvent {
  type: TimelineEventType;
  status: TimelineEventStatus;
  content: string;
  metadata?: Record<string, unknown> | null;
}

export interface TimelineEventEnd {
  status: Exclude<TimelineEventStatus, 'STREAMING'>;
  content: string;
  /** Type after the end, if it changes. For example, a response without tool calls becomes the final analysis. */
  type?: TimelineEventType;
  /** Merged into the existing metadata. */
  metadata?: Record<string, unknown>;
}

const COLUMNS =
  'id uuid, stage_id uuid, execution_id uuid, type text, status text, content text, metadata jsonb';

const EVENT: RowWriter = {
  name: 'item',
  // Ids are UUIDv7, so they sort in the order of creation.
  ...insertInto('timeline_events', COLUMNS, (isSingleEvent) => ({
    sequence_number: `l.last_timeline_sequence + ${isSingleEvent ? '1' : 'row_number() over (order by r.id)'}`,
  })),
  event: { type: 'TimelineEventCreated', rank: 4, orderBy: 't.sequence_number' },
  set: (isSingleEvent) =>
    `last_timeline_sequence = l.last_timeline_sequence + ${isSingleEvent ? '1' : '(select count(*) from item)'}`,
};

export const addTimelineEvent = (ids: ExecutionIds, event: NewTimelineEvent, id = uuidv7()): RowChange => ({
  writer: EVENT,
  row: { id, ...ids, ...event },
});

const EVENT_CHANGE: RowWriter = {
  name: 'item_change',
  columns: columnTypes('id uuid, type text, status text, content text, metadata jsonb'),
  sql: (
    rows,
  ) => `update timeline_events t set status = r.status, content = r.content, type = coalesce(r.type, t.type),
      metadata = case when r.metadata is null then t.metadata else coalesce(t.metadata, '{}') || r.metadata end,
      updated_at = now()
    from locked l, ${rows} where t.id = r.id and t.session_id = $1 and t.status = 'STREAMING'`,
  merge: (rows) => [...new Map((rows as readonly { id: string }[]).map((row) => [row.id, row])).values()],
  event: {
    type: 'TimelineEventCompleted',
    rank: 3,
    orderBy: 't.sequence_number',
    when: `t.status <> 'STREAMING'`,
  },
};

/** Ends a streaming event. Does nothing if it has ended already. Must not be in the write that adds the event. */
export const endTimelineEvent = (id: string, end: TimelineEventEnd): RowChange => ({
  writer: EVENT_CHANGE,
  row: { id, ...end },
});

export const saveTimelineText = (id: string, content: string): RowChange => ({
  writer: EVENT_CHANGE,
  row: { id, status: 'STREAMING', content },
});
