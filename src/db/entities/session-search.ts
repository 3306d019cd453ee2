import { defineEntity, p } from '@mikro-orm/core';
import { AlertSession } from './alert-session.ts';

/**
 * What a session is found by: its alert, its analysis and its timeline. Triggers of the database write it when the session is made,
 * when it has ended, and when a question about it has been answered; in between, searches read the timeline itself.
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
