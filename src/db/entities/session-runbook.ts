import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { AlertSession } from './alert-session.ts';
import { createdAt, reference } from './columns.ts';

/** The runbook for a session's agents, fetched once if the alert's sender named one. */
export const SessionRunbook = defineEntity({
  name: 'SessionRunbook',
  tableName: 'session_runbooks',
  properties: {
    sessionId: () => reference(AlertSession, 'session_id').primary(),
    content: p.text().nullable(), // masked; the configured default text if there is a problem
    problem: p.text().nullable(),
    createdAt: createdAt(),
  },
});
export type SessionRunbookRow = InferEntity<typeof SessionRunbook>;
