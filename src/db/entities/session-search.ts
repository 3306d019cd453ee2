import { defineEntity, p } from '@mikro-orm/core';
import { AlertSession } from './alert-session.ts';

/** Sessions whose document is to be made, or made anew; triggers of the database write them. */
export const SessionSearchDue = defineEntity({
  name: 'SessionSearchDue',
  tableName: 'session_search_due',
  properties: {
    id: p.bigint().primary().generated('by default as identity'),
    sessionId: p.uuid().fieldName('session_id'),
  },
});

/**
 * What a session is found by: its alert, its analysis and its timeline. It is made soon after the session
 * was stored, ended or was asked about (`SessionSearchDue`); while it runs, searches read the timeline itself.
 */
export const SessionSearch = defineEntity({
  name: 'SessionSearch',
  tableName: 'session_search',
  properties: {
    sessionId: () =>
      p.manyToOne(AlertSession).mapToPk().fieldName('session_id').deleteRule('cascade').primary(),
    words: p.text(), // distinct, lower case, between single spaces: for parts of words and for identifiers
    document: p.text().columnType('tsvector'), // for words in any of their forms, and for phrases
  },
  indexes: [
    {
      name: 'session_search_words_trgm',
      expression: `create index "session_search_words_trgm" on "session_search" using gin ("words" gin_trgm_ops) with (gin_pending_list_limit = 2048)`,
    },
    {
      name: 'session_search_document',
      expression: `create index "session_search_document" on "session_search" using gin ("document") with (gin_pending_list_limit = 2048)`,
    },
  ],
});
