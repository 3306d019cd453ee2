import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { AlertSession } from './alert-session.ts';
import { createdAt } from './columns.ts';

/** The runbook for a session's agents, fetched once if the alert's sender named one. */
export const SessionRunbook = defineEntity({
  name: 'SessionRunbook',
  tableName: 'session_runbooks',
  properties: {
    sessionId: () =>
      p.manyToOne(AlertSession).mapToPk().fieldName('session_id').deleteRule('cascade').primary(),
    content: p.text().nullable(), // masked; the configured default text if there is a problem
    problem: p.text().nullable(),
    createdAt: createdAt(),
  },
});
export type SessionRunbookRow = InferEntity<typeof SessionRunbook>;
