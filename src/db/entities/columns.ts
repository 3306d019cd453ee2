import { p } from '@mikro-orm/core';

/** Key of every table: a UUIDv7, made by the writer, so that keys sort by time. */
export const id = () => p.uuid().primary();

/** A moment with millisecond precision: what a JavaScript Date and a page cursor can carry exactly. */
export const moment = () => p.datetime().columnType('timestamptz(3)');

/** Moment of insertion, by the database's clock unless the writer sets it. */
export const createdAt = () => moment().defaultRaw('now()');

/** A number of tokens, up to 2^53-1. */
const tokens = () => p.bigint('number').default(0);

/** What one or more calls of models took. Of the input, some was read from the provider's cache, or written to it. */
export const tokenCounts = () => ({
  inputTokens: tokens(),
  outputTokens: tokens(),
  thinkingTokens: tokens(),
  totalTokens: tokens(),
  cachedReadTokens: tokens(),
  cacheWriteTokens: tokens(),
});

/** What the calls cost that have a price, and how many have none; null: of before costs were kept, so they must be counted. */
export const costs = () => ({
  costUsd: p.double().$type<number>().default(0),
  unpricedCalls: p.integer().nullable().default(0),
});

/**
 * One of these words. Without a CHECK: each new word would lock, and read, all of a table that may be large. What is written
 * is typed, and written by the engine alone.
 */
export const oneOf = <const Word extends string>(_words: readonly Word[]) => p.text().$type<Word>();
