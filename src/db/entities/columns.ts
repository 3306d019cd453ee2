import { p } from '@mikro-orm/core';

/** Primary key: a UUIDv7 that the writer generates, so that keys sort by time. */
export const id = () => p.uuid().primary();

/** A timestamp with millisecond precision, which a JavaScript Date and a page cursor represent exactly. */
export const moment = () => p.datetime().columnType('timestamptz(3)');

/** Time of insertion, by the database's clock unless the writer sets it. */
export const createdAt = () => moment().defaultRaw('now()');

/** A number of tokens, up to 2^53-1. */
const tokens = () => p.bigint('number').default(0);

/** Token counts of one or more model calls. Cached reads and writes are parts of the input. */
export const tokenCounts = () => ({
  inputTokens: tokens(),
  outputTokens: tokens(),
  thinkingTokens: tokens(),
  totalTokens: tokens(),
  cachedReadTokens: tokens(),
  cacheWriteTokens: tokens(),
});

/** Cost of the priced calls, and the number of unpriced ones; null in rows from before costs were stored, whose calls must be summed. */
export const costs = () => ({
  costUsd: p.double().$type<number>().default(0),
  unpricedCalls: p.integer().nullable().default(0),
});

/**
 * A text column with a fixed set of values. The column has no CHECK constraint, because a new value would then lock and scan
 * a large table. Only the engine writes it, and its types ensure the values.
 */
export const oneOf = <const Word extends string>(_words: readonly Word[]) => p.text().$type<Word>();
