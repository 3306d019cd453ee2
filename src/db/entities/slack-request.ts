import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, moment, oneOf } from './columns.ts';

/**
 * One request of a user in Slack: a question, a command, a reaction or a click. The row decides whether the request is
 * handled; a queued job only wakes a process. Answered requests are kept for a week, so that repeated ones are refused.
 */
export const SlackRequest = defineEntity({
  name: 'SlackRequest',
  tableName: 'slack_requests',
  properties: {
    id: id(),
    key: p.text(), // identifies the request in Slack, such as the id of its event
    content: p.json<unknown>().nullable(), // masked; null once handled
    // WAITING: not handled yet, or an attempt is running; ASKED: a question whose answer is not posted yet
    status: oneOf<'WAITING' | 'ASKED' | 'DONE' | 'FAILED'>().default('WAITING'),
    attempts: p.integer().default(0), // number of the last attempt; writes of an older attempt are refused
    dueAt: moment().defaultRaw('now()'), // time of the next attempt; while one runs, the time at which it counts as lost
    threadTs: p.text().nullable(), // ASKED: thread of the answer
    error: p.text().nullable(),
    createdAt: createdAt(),
  },
  uniques: [{ name: 'slack_requests_key', properties: ['key'] }],
  indexes: [
    { name: 'slack_requests_open', properties: ['dueAt'], where: `status in ('WAITING', 'ASKED')` },
    { name: 'slack_requests_created', properties: ['createdAt'] },
  ],
});
export type SlackRequestRow = InferEntity<typeof SlackRequest>;
