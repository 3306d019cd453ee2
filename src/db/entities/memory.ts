import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { MemoryCategory, QualityRating } from '../enums.ts';
import { createdAt, id, oneOf, reference, sqlIndexes } from './columns.ts';

const ADDED = 'new table as added';
const REMOVED = 'old table as removed';

const counting = (event: 'insert' | 'update' | 'delete', referencing: string) => ({
  name: `memories_${event}`,
  timing: 'after' as const,
  events: [event],
  forEach: 'statement' as const,
  expression: `create trigger "memories_${event}" after ${event} on "memories" referencing ${referencing} for each statement execute function tarsy_count_memory_words()`,
});

/** Knowledge from past investigations: a fact, an event or a procedure. */
export const Memory = defineEntity({
  name: 'Memory',
  tableName: 'memories',
  properties: {
    id: id(),
    content: p.text(), // masked
    category: oneOf<MemoryCategory>(),
    alertType: p.text().nullable(),
    team: p.text().nullable(), // null = no team: visible to all
    confidence: p.double().$type<number>(), // 0–1, from the reviews of sessions that taught or used the memory
    seenCount: p.integer().default(1), // number of sessions from which it was learned
    deprecated: p.boolean().default(false), // true = agents do not get the memory
    judgedBy: p.text().nullable(), // user who decided whether the memory is deprecated; null = reviews decide
    sourceSessionId: p.uuid().nullable(), // first session from which it was learned; no foreign key, because memories outlive sessions
    createdAt: createdAt(),
    updatedAt: createdAt(),
    document: p.text().columnType('tsvector').lazy(), // for full-text search
  },
  indexes: [
    { properties: ['createdAt', 'id'] },
    ...sqlIndexes('memories', { memories_document: 'using gin (document)' }),
  ],
  // These triggers keep memory_words up to date.
  triggers: [
    counting('insert', ADDED),
    counting('delete', REMOVED),
    counting('update', `${REMOVED} ${ADDED}`),
  ],
});
export type MemoryRow = Omit<InferEntity<typeof Memory>, 'document'>;

export const MemorySession = defineEntity({
  name: 'MemorySession',
  tableName: 'memory_sessions',
  properties: {
    memoryId: () => reference(Memory, 'memory_id').primary(),
    sessionId: p.uuid().primary(), // no foreign key, because the review counts even after the session is deleted
    role: oneOf<'SOURCE' | 'USE'>().primary(), // SOURCE: the memory was learned from the session; USE: agents of the session received the memory
    rating: oneOf<QualityRating>().nullable(), // current rating of the session by its review
    at: createdAt(),
  },
  indexes: [{ properties: ['sessionId', 'role'] }],
});

/** The number of memories that contain a word; the empty word counts all memories. Triggers update the rows. */
export const MemoryWord = defineEntity({
  name: 'MemoryWord',
  tableName: 'memory_words',
  properties: {
    word: p.text().primary(),
    memories: p.integer(),
  },
  indexes: sqlIndexes('memory_words', { memory_words_trgm: 'using gin (word gin_trgm_ops)' }), // finds similarly spelled words
});
