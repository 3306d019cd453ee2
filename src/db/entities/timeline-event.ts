import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { TimelineEventStatus, TimelineEventType } from '../enums.ts';
import { createdAt, id, oneOf, sqlIndexes } from './columns.ts';

/** One item of the timeline that viewers see. The content grows while the status is STREAMING. */
export const TimelineEvent = defineEntity({
  name: 'TimelineEvent',
  tableName: 'timeline_events',
  properties: {
    id: id(),
    sessionId: p.uuid().primary(), // in each key, because the table is partitioned by it
    stageId: p.uuid().nullable(),
    executionId: p.uuid().nullable(),
    sequenceNumber: p.integer(), // gapless within the session
    type: oneOf<TimelineEventType>(),
    status: oneOf<TimelineEventStatus>(),
    content: p.text().default(''),
    metadata: p.json<Record<string, unknown>>().nullable(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  uniques: [{ name: 'timeline_events_session_sequence', properties: ['sessionId', 'sequenceNumber'] }],
  indexes: [
    { name: 'timeline_events_execution', properties: ['executionId', 'sequenceNumber'] },
    { name: 'timeline_events_stage', properties: ['stageId'] },
    ...sqlIndexes('timeline_events', {
      timeline_events_news: `(session_id, sequence_number) where type in ('ALERT_JOINED', 'ALERT_RESOLVED')`, // finds updates from the alert's source, read before each model call; most sessions have none
    }),
  ],
});
export type TimelineEventRow = InferEntity<typeof TimelineEvent>;
