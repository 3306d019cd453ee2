import type { Queryable } from '../../db/queryable.ts';

/** Milliseconds between looks, and of each that is used: a flood of alerts leaves its documents for after it. */
export const LOOK_MS = 250;
const BUSY_MS = 25;

/** Milliseconds that a search gives to what was stored just now. */
export const SEARCH_MS = 2000;

/** Makes the documents that searches find sessions by, of those that are due, oldest first. */
export async function makeSearchDocuments(db: Queryable, forMs = BUSY_MS): Promise<void> {
  await db.query('select tarsy_index_due($1)', [forMs]);
}
