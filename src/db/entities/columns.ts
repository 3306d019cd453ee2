import { p } from '@mikro-orm/core';

/** Key of every table: a UUIDv7, made by the writer, so that keys sort by time. */
export const id = () => p.uuid().primary();

/** A moment with millisecond precision: what a JavaScript Date and a page cursor can carry exactly. */
export const moment = () => p.datetime().columnType('timestamptz(3)');

/** Moment of insertion, by the database's clock unless the writer sets it. */
export const createdAt = () => moment().defaultRaw('now()');

/** A number of tokens, up to 2^53-1. */
export const tokens = () => p.bigint('number').default(0);
