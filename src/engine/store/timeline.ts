import { uuidv7 } from '../../common/uuidv7.ts';
import type { TimelineEventStatus, TimelineEventType } from '../../db/enums.ts';
import { insertInto, type RowChange, type RowWriter } from './event-statement.ts';

/** Where in a session something belongs; both null = the session itself. */
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
  /** What the item turned out to be: a response without tool calls is the final analysis. */
  type?: TimelineEventType;
  /** Added to the metadata that is there. */
  metadata?: Record<string, unknown>;
}

const ITEM_COLUMNS = {
  id: 'uuid',
  stage_id: 'uuid',
  execution_id: 'uuid',
  type: 'text',
  status: 'text',
  content: 'text',
  metadata: 'jsonb',
};

const ITEM: RowWriter = {
  name: 'item',
  columns: ITEM_COLUMNS,
  // Keys sort by time: in the order in which the items were made.
  sql: insertInto('timeline_events', ITEM_COLUMNS, (alone) => ({
    sequence_number: `l.last_timeline_sequence + ${alone ? '1' : 'row_number() over (order by r.id)'}`,
  })),
  event: { type: 'TimelineEventCreated', rank: 4, place: 't.sequence_number' },
  set: (alone) =>
    `last_timeline_sequence = l.last_timeline_sequence + ${alone ? '1' : '(select count(*) from item)'}`,
};

/** Adds an item at the timeline's end. */
export function addTimelineEvent(place: ExecutionIds, event: NewTimelineEvent, id = uuidv7()): RowChange {
  return { writer: ITEM, row: { id, ...place, ...event } };
}

const ITEM_CHANGE: RowWriter = {
  name: 'item_change',
  columns: { id: 'uuid', type: 'text', status: 'text', content: 'text', metadata: 'jsonb' },
  sql: (
    rows,
  ) => `update timeline_events t set status = r.status, content = r.content, type = coalesce(r.type, t.type),
      metadata = case when r.metadata is null then t.metadata else coalesce(t.metadata, '{}') || r.metadata end,
      updated_at = now()
    from locked l, ${rows} where t.id = r.id and t.session_id = l.id and t.status = 'STREAMING'`,
  merge: (rows) => [...new Map((rows as readonly { id: string }[]).map((row) => [row.id, row])).values()],
  event: {
    type: 'TimelineEventCompleted',
    rank: 3,
    place: 't.sequence_number',
    when: `t.status <> 'STREAMING'`,
  },
};

/** Ends an item that streams; nothing happens when it has ended already. Not in the step that adds it. */
export function endTimelineEvent(id: string, end: TimelineEventEnd): RowChange {
  return { writer: ITEM_CHANGE, row: { id, ...end } };
}

/** Saves the text so far of an item that streams. */
export const saveTimelineText = (id: string, content: string): RowChange => ({
  writer: ITEM_CHANGE,
  row: { id, status: 'STREAMING', content },
});
