import { v7 as uuidv7 } from 'uuid';
import type { TimelineEventRow } from '../../db/entities/index.ts';
import type { TimelineEventStatus, TimelineEventType } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import { storable } from '../../text/storable.ts';
import { type Fence, writeLogged } from '../events/log.ts';
import { LeaseLostError } from '../run/break-off.ts';

/** Where in a session something belongs; both null = the session itself. */
export interface Place {
  stageId: string | null;
  executionId: string | null;
}

export interface NewTimelineEvent {
  type: TimelineEventType;
  status: TimelineEventStatus;
  content: string;
  metadata?: Record<string, unknown> | null;
}

const HELD = `s.attempt = $2 and s.lease_expires_at is not null`;

/** Adds an item at the timeline's end. @throws LeaseLostError */
export async function createTimelineEvent(
  db: Queryable,
  fence: Fence,
  place: Place,
  event: NewTimelineEvent,
): Promise<TimelineEventRow> {
  const row = await writeLogged<TimelineEventRow>(db, {
    sessionId: fence.sessionId,
    guard: HELD,
    type: 'TimelineEventCreated',
    change: `insert into timeline_events (id, session_id, stage_id, execution_id, sequence_number, type, status, content,
        metadata)
      select $3::uuid, l.id, $4::uuid, $5::uuid, l.last_timeline_sequence + 1, $6, $7, $8, $9::jsonb from locked l
      returning *`,
    set: 'last_timeline_sequence = c.sequence_number, last_interaction_at = now()',
    values: [
      fence.attempt,
      uuidv7(),
      place.stageId,
      place.executionId,
      event.type,
      event.status,
      storable(event.content),
      event.metadata ? JSON.stringify(event.metadata) : null,
    ],
  });
  if (row === null) throw new LeaseLostError(fence.sessionId);
  return row;
}

export interface TimelineEventEnd {
  status: Exclude<TimelineEventStatus, 'STREAMING'>;
  content: string;
  /** What the item turned out to be: a response without tool calls is the final analysis. */
  type?: TimelineEventType;
  /** Added to the metadata that is there. */
  metadata?: Record<string, unknown>;
}

/** Ends an item that streams; null when it has ended already. */
export function completeTimelineEvent(
  db: Queryable,
  fence: Fence,
  timelineEventId: string,
  end: TimelineEventEnd,
): Promise<TimelineEventRow | null> {
  return writeLogged<TimelineEventRow>(db, {
    sessionId: fence.sessionId,
    guard: HELD,
    type: 'TimelineEventCompleted',
    change: `update timeline_events t set status = $4, content = $5, type = coalesce($6, t.type),
        metadata = case when $7::jsonb is null then t.metadata else coalesce(t.metadata, '{}') || $7::jsonb end,
        updated_at = now()
      from locked l where t.id = $3::uuid and t.session_id = l.id and t.status = 'STREAMING' returning t.*`,
    set: 'last_interaction_at = now()',
    values: [
      fence.attempt,
      timelineEventId,
      end.status,
      storable(end.content),
      end.type ?? null,
      end.metadata ? JSON.stringify(end.metadata) : null,
    ],
  });
}
