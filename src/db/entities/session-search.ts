import { defineEntity, p } from '@mikro-orm/core';
import { AlertSession } from './alert-session.ts';
import { reference, sqlIndexes } from './columns.ts';

/** Sessions whose search document must be created or updated; database triggers insert the rows. */
export const SessionSearchDue = defineEntity({
  name: 'SessionSearchDue',
  tableName: 'session_search_due',
  properties: {
    id: p.bigint().primary().generated('by default as identity'),
    sessionId: p.uuid().fieldName('session_id'),
  },
});

/**
 * The search document of a session: its alert, analysis and timeline. A background task writes it after the session was
 * created, has ended, or got a chat answer (`SessionSearchDue`). While a session runs, searches read its timeline
 * directly.
 */
export const SessionSearch = defineEntity({
  name: 'SessionSearch',
  tableName: 'session_search',
  properties: {
    sessionId: () => reference(AlertSession, 'session_id').primary(),
    words: p.text(), // distinct lower-case words, to find parts of words and identifiers
    document: p.text().columnType('tsvector'), // to find inflected words and phrases
    scope: p.array().columnType('text[]').defaultRaw(`'{""}'`), // the session's team, '' if it has none
  },
  indexes: sqlIndexes('session_search', {
    session_search_terms:
      'using gin (words gin_trgm_ops, document, scope) with (gin_pending_list_limit = 2048)',
  }),
});
