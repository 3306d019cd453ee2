import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ReviewAction } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { id, moment, oneOf, reference } from './columns.ts';

export const ReviewActivity = defineEntity({
  name: 'ReviewActivity',
  tableName: 'review_activities',
  properties: {
    id: id(),
    sessionId: () => reference(AlertSession, 'session_id'),
    at: moment().defaultRaw('now()'),
    actor: p.text(),
    action: oneOf<ReviewAction>(),
    note: p.text().nullable(),
  },
  indexes: [{ properties: ['sessionId', 'at', 'id'] }],
});
export type ReviewActivityRow = InferEntity<typeof ReviewActivity>;
