import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { SessionEventType } from '../enums.ts';
import { createdAt, oneOf } from './columns.ts';

/**
 * One event in the log that subscriptions replay. `seq` comes from a counter in the session's row, so the numbers are
 * gapless and in commit order. The payload is a snapshot of the changed row (columns as in its table), so that
 * subscribers need no query.
 */
export const SessionEvent = defineEntity({
  name: 'SessionEvent',
  tableName: 'session_events',
  properties: {
    sessionId: p.uuid().primary(),
    seq: p.integer().primary(),
    type: oneOf<SessionEventType>(),
    payload: p.json<Record<string, unknown>>(),
    createdAt: createdAt(),
  },
});
export type SessionEventRow = InferEntity<typeof SessionEvent>;
