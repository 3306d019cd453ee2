import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { AlertSession } from './alert-session.ts';
import { createdAt, reference } from './columns.ts';

/** The runbook that the alert's sender named, fetched once for all runs of the session. */
export const SessionRunbook = defineEntity({
  name: 'SessionRunbook',
  tableName: 'session_runbooks',
  properties: {
    sessionId: () => reference(AlertSession, 'session_id').primary(),
    content: p.text().nullable(), // masked; the configured default runbook if fetching failed
    problem: p.text().nullable(),
    createdAt: createdAt(),
  },
});
export type SessionRunbookRow = InferEntity<typeof SessionRunbook>;
