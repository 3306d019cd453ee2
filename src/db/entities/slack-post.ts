import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { SLACK_POINTS } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, moment, reference } from './columns.ts';

/** One Slack message about a session. The row decides whether it is posted; a queued job only wakes a worker. */
export const SlackPost = defineEntity({
  name: 'SlackPost',
  tableName: 'slack_posts',
  properties: {
    sessionId: () => reference(AlertSession, 'session_id').primary(),
    point: p.enum([...SLACK_POINTS]).primary(),
    status: p.enum(['WAITING', 'POSTED', 'FAILED', 'SKIPPED']).default('WAITING'), // WAITING: also while being posted; SKIPPED: no longer needed
    attempts: p.integer().default(0), // fencing token, like a session's attempt
    dueAt: moment().defaultRaw('now()'), // during an attempt: when the attempt counts as lost
    sendingAt: moment().nullable(), // set = an attempt may have posted, so the next one asks Slack first
    threadTs: p.text().nullable(), // thread to post in
    messageTs: p.text().nullable(), // the posted message
    error: p.text().nullable(),
    createdAt: createdAt(),
    postedAt: moment().nullable(),
  },
  indexes: [{ name: 'slack_posts_due', properties: ['dueAt'], where: `status = 'WAITING'` }],
});
export type SlackPostRow = InferEntity<typeof SlackPost>;
