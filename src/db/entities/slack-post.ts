import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { SLACK_POINTS, SLACK_POST_STATUSES } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, moment } from './columns.ts';

/** One Slack message about a session. The row decides whether it is posted; a queued job only wakes a worker. */
export const SlackPost = defineEntity({
  name: 'SlackPost',
  tableName: 'slack_posts',
  properties: {
    sessionId: () =>
      p.manyToOne(AlertSession).mapToPk().fieldName('session_id').deleteRule('cascade').primary(),
    point: p.enum([...SLACK_POINTS]).primary(),
    status: p.enum([...SLACK_POST_STATUSES]).default('WAITING'),
    attempts: p.integer().default(0), // fencing token, like a session's attempt
    dueAt: moment().defaultRaw('now()'), // during an attempt: when the attempt counts as lost
    sendingAt: moment().nullable(), // set = an attempt may have posted, so the next one asks Slack first
    threadTs: p.text().nullable(), // thread to post in
    messageTs: p.text().nullable(), // the posted message
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
