import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { AlertSession } from './alert-session.ts';
import { createdAt, id, reference } from './columns.ts';

/** The follow-up conversation of a session; at most one per session. */
export const Chat = defineEntity({
  name: 'Chat',
  tableName: 'chats',
  properties: {
    id: id(),
    sessionId: () => reference(AlertSession, 'session_id'),
    createdBy: p.text().nullable(),
    createdAt: createdAt(),
  },
  uniques: [{ name: 'chats_session', properties: ['sessionId'] }],
});
export type ChatRow = InferEntity<typeof Chat>;
