import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { REVIEW_ACTIONS } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { id, moment, oneOf } from './columns.ts';

/** One action in the review of an investigation. */
export const ReviewActivity = defineEntity({
  name: 'ReviewActivity',
  tableName: 'review_activities',
  properties: {
    id: id(),
    sessionId: () => p.manyToOne(AlertSession).mapToPk().fieldName('session_id').deleteRule('cascade'),
    at: moment().defaultRaw('now()'),
    actor: p.text(),
    action: oneOf(REVIEW_ACTIONS),
    note: p.text().nullable(),
  },
  indexes: [{ properties: ['sessionId', 'at', 'id'] }],
});
export type ReviewActivityRow = InferEntity<typeof ReviewActivity>;
