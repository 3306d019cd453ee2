import { type EntitySchema, p } from '@mikro-orm/core';

/** Primary key: a UUIDv7 that the writer generates, so that keys sort by time. */
export const id = () => p.uuid().primary();

/** A timestamp with millisecond precision, which a JavaScript Date and a page cursor represent exactly. */
export const moment = () => p.datetime().columnType('timestamptz(3)');

/** Time of insertion, by the database's clock unless the writer sets it. */
export const createdAt = () => moment().defaultRaw('now()');

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

/**
 * Cost (USD) of priced calls and number of unpriced calls. A null number, in old rows, means: count the model calls.
 */
export const costs = () => ({
  costUsd: p.double().$type<number>().default(0),
  unpricedCalls: p.integer().nullable().default(0),
});

/** Text column with fixed values. No CHECK constraint, because adding a value would then lock and scan the table. */
export const oneOf = <Word extends string>() => p.text().$type<Word>();

/** Returns indexes by name. Each definition is the SQL that follows `create index … on …`. */
export const sqlIndexes = (table: string, definitions: Readonly<Record<string, string>>) =>
  Object.entries(definitions).map(([name, definition]) => ({
    name,
    expression: `create index "${name}" on "${table}" ${definition}`,
  }));

/** Foreign key: the id of a row in another table. Deleting that row also deletes the rows that refer to it. */
export const reference = <Target extends EntitySchema>(target: Target, column: string) =>
  p.manyToOne(target).mapToPk().fieldName(column).deleteRule('cascade');

export const double = () => p.float().columnType('double precision');
