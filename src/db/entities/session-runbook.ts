import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { AlertSession } from './alert-session.ts';
import { createdAt } from './columns.ts';

/** The runbook that a session's agents are given, when its sender named one: fetched once. */
export const SessionRunbook = defineEntity({
  name: 'SessionRunbook',
  tableName: 'session_runbooks',
  properties: {
    sessionId: () =>
      p.manyToOne(AlertSession).mapToPk().fieldName('session_id').deleteRule('cascade').primary(),
    content: p.text().nullable(), // secrets masked; of the configured text when there is a problem
    problem: p.text().nullable(),
    createdAt: createdAt(),
  },
});
export type SessionRunbookRow = InferEntity<typeof SessionRunbook>;
