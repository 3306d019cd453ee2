import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { SlackPoint } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, moment, oneOf, reference } from './columns.ts';

/**
 * One Slack message about a session. The row decides whether the message is posted; a queued job only wakes a worker.
 */
export const SlackPost = defineEntity({
  name: 'SlackPost',
  tableName: 'slack_posts',
  properties: {
    sessionId: () => reference(AlertSession, 'session_id').primary(),
    point: oneOf<SlackPoint>().primary(),
    status: p.enum(['WAITING', 'POSTED', 'FAILED', 'SKIPPED']).default('WAITING'), // WAITING: not posted yet, or an attempt is running; SKIPPED: no longer needed
    attempts: p.integer().default(0), // number of the last attempt; writes of an older attempt are refused
    dueAt: moment().defaultRaw('now()'), // time of the next attempt; while an attempt runs, the time at which that attempt counts as lost
    sendingAt: moment().nullable(), // set = an attempt may have posted the message, so the next attempt asks Slack first
    threadTs: p.text().nullable(), // Slack thread to post in
    messageTs: p.text().nullable(), // Slack's id of the posted message
    recipient: p.text().nullable(), // STARTED: Slack user who asked for the investigation, to whom Slack shows a streaming message
    streamingSince: moment().nullable(), // PROGRESS: time before the start of the streaming message; null if it is not streaming
    shown: p.text().nullable(), // state that the posted message shows, for messages that change; null = as posted
    error: p.text().nullable(),
    createdAt: createdAt(),
    postedAt: moment().nullable(),
  },
  indexes: [
    { name: 'slack_posts_due', properties: ['dueAt'], where: `status = 'WAITING'` },
    { name: 'slack_posts_started', properties: ['postedAt'], where: `point = 'STARTED'` },
    { name: 'slack_posts_progress', properties: ['createdAt'], where: `point = 'PROGRESS'` },
    // find the session of a thread
    { name: 'slack_posts_thread', properties: ['threadTs'], where: 'thread_ts is not null' },
    { name: 'slack_posts_message', properties: ['messageTs'], where: 'message_ts is not null' },
  ],
});
export type SlackPostRow = InferEntity<typeof SlackPost>;
