import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { SLACK_POINTS, SLACK_POST_STATUSES } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, moment } from './columns.ts';

/** One message about a session. The row is the truth about whether it was posted; a queued job is only a wake-up. */
export const SlackPost = defineEntity({
  name: 'SlackPost',
  tableName: 'slack_posts',
  properties: {
    sessionId: () =>
      p.manyToOne(AlertSession).mapToPk().fieldName('session_id').deleteRule('cascade').primary(),
    point: p.enum([...SLACK_POINTS]).primary(),
    status: p.enum([...SLACK_POST_STATUSES]).default('WAITING'),
    attempts: p.integer().default(0), // fencing token, as the attempt of a session
    dueAt: moment().defaultRaw('now()'), // of a running attempt: when it counts as lost
    sendingAt: moment().nullable(), // set = an attempt may have posted: Slack is asked before the next one does
    threadTs: p.text().nullable(), // thread that the message belongs into
    messageTs: p.text().nullable(), // the message itself, once posted
    error: p.text().nullable(),
    createdAt: createdAt(),
    postedAt: moment().nullable(),
  },
  indexes: [
    {
      name: 'slack_posts_due',
      expression: `create index "slack_posts_due" on "slack_posts" ("due_at") where "status" = 'WAITING'`,
    },
  ],
});
export type SlackPostRow = InferEntity<typeof SlackPost>;
