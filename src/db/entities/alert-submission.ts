import { defineEntity, p } from '@mikro-orm/core';
import { AlertSession } from './alert-session.ts';
import { createdAt } from './columns.ts';

/** Which session a sender's key stands for, so that a repeated submission makes no second one. */
export const AlertSubmission = defineEntity({
  name: 'AlertSubmission',
  tableName: 'alert_submissions',
  properties: {
    author: p.text().primary(),
    idempotencyKey: p.text().primary(),
    contentHash: p.text(), // of what was submitted
    sessionId: () => p.manyToOne(AlertSession).mapToPk().fieldName('session_id').deleteRule('cascade'),
    createdAt: createdAt(),
  },
  indexes: [
    { name: 'alert_submissions_old', properties: ['createdAt'] },
    { name: 'alert_submissions_session', properties: ['sessionId'] },
  ],
});
