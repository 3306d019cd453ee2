import { defineEntity, p } from '@mikro-orm/core';
import { AlertSession } from './alert-session.ts';
import { createdAt, reference } from './columns.ts';

/** Maps a sender's idempotency key to its session, so that a repeated submission creates no second one. */
export const AlertSubmission = defineEntity({
  name: 'AlertSubmission',
  tableName: 'alert_submissions',
  properties: {
    author: p.text().primary(),
    idempotencyKey: p.text().primary(),
    contentHash: p.text(), // hash of the submitted alert, to refuse another alert under the same key
    sessionId: () => reference(AlertSession, 'session_id'),
    createdAt: createdAt(),
  },
  indexes: [
    { name: 'alert_submissions_old', properties: ['createdAt'] },
    { name: 'alert_submissions_session', properties: ['sessionId'] },
  ],
});
