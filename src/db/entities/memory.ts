import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { MEMORY_CATEGORIES, MEMORY_ROLES, QUALITY_RATINGS } from '../enums.ts';
import { createdAt, id, oneOf } from './columns.ts';

const ADDED = 'new table as added';
const REMOVED = 'old table as removed';

const counting = (event: 'insert' | 'update' | 'delete', referencing: string) => ({
  name: `memories_${event}`,
  timing: 'after' as const,
  events: [event],
  forEach: 'statement' as const,
  expression: `create trigger "memories_${event}" after ${event} on "memories" referencing ${referencing} for each statement execute function tarsy_count_memory_words()`,
});

/** Something that past investigations taught: what is so, what happened, or what to do. */
export const Memory = defineEntity({
  name: 'Memory',
  tableName: 'memories',
  properties: {
    id: id(),
    content: p.text(), // masked
    category: oneOf(MEMORY_CATEGORIES),
    alertType: p.text().nullable(),
    team: p.text().nullable(), // whose it is: null = nobody's, and seen by all
    confidence: p.double().$type<number>(), // 0 to 1, from the reviews of the sessions that it comes from and was used in
    seenCount: p.integer().default(1), // sessions that taught it
    deprecated: p.boolean().default(false), // no agent is given it
    judgedBy: p.text().nullable(), // who said whether it is deprecated; null = reviews say
    sourceSessionId: p.uuid().nullable(), // the first that taught it; no foreign key: it outlives sessions
    createdAt: createdAt(),
    updatedAt: createdAt(),
    document: p.text().columnType('tsvector').lazy(), // what it is found by
  },
  indexes: [
    { properties: ['createdAt', 'id'] },
    {
      name: 'memories_document',
      expression: `create index "memories_document" on "memories" using gin ("document")`,
    },
  ],
  // They keep memory_words.
  triggers: [
    counting('insert', ADDED),
    counting('delete', REMOVED),
    counting('update', `${REMOVED} ${ADDED}`),
  ],
});
export type MemoryRow = Omit<InferEntity<typeof Memory>, 'document'>;

/** A session that taught a memory, or whose agents were given it. */
export const MemorySession = defineEntity({
  name: 'MemorySession',
  tableName: 'memory_sessions',
  properties: {
    memoryId: () => p.manyToOne(Memory).mapToPk().fieldName('memory_id').deleteRule('cascade').primary(),
    sessionId: p.uuid().primary(), // no foreign key: what its review said counts when the session is gone
    role: oneOf(MEMORY_ROLES).primary(),
    rating: oneOf(QUALITY_RATINGS).nullable(), // as its review stands
    at: createdAt(),
  },
  indexes: [{ properties: ['sessionId', 'role'] }],
});

/** Each word that memories have, and how many have it; the empty one counts memories. A trigger keeps it. */
export const MemoryWord = defineEntity({
  name: 'MemoryWord',
  tableName: 'memory_words',
  properties: {
    word: p.text().primary(),
    memories: p.integer(),
  },
  indexes: [
    {
      name: 'memory_words_trgm', // words that are written alike
      expression: `create index "memory_words_trgm" on "memory_words" using gin ("word" gin_trgm_ops)`,
    },
  ],
});
