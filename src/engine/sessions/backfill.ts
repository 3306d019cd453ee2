import type { Queryable } from '../../db/queryable.ts';
import { headlineOf } from '../alert/headline.ts';

/** Milliseconds between looks, and sessions of each: what came with an upgrade is read within the hour, and nobody waits for it. */
export const HEADLINE_POLL_MS = 10_000;
const AT_ONCE = 200;

/** Characters of an alert that are read for it: what it is about stands at its beginning. */
const READ = 65_536;

/**
 * Reads what alerts are about that were stored by a version that did not.
 * @returns how many
 */
export async function backfillHeadlines(db: Queryable, atOnce = AT_ONCE): Promise<number> {
  const { rows } = await db.query<{ id: string; text: string }>(
    'select id, left(alert_data, $2) as text from alert_sessions where title is null order by id desc limit $1',
    [atOnce, READ],
  );
  for (const { id, text } of rows) {
    const { title, severity, entities } = headlineOf(text);
    // Another process may read the same ones: it finds the same.
    await db.query(
      'update alert_sessions set title = $2, severity = $3, entities = $4 where id = $1 and title is null',
      [id, title, severity, entities],
    );
  }
  return rows.length;
}

/** Milliseconds between looks, and of each that is used: a flood of alerts leaves its documents for after it. */
export const INDEX_POLL_MS = 250;

const BUSY_MS = 25;

/** Milliseconds that a search gives to what was stored just now. */
export const SEARCH_INDEX_BUDGET_MS = 2000;

/** Makes the documents that searches find sessions by, of those that are due, oldest first. */
export async function indexDueSessions(db: Queryable, forMs = BUSY_MS): Promise<void> {
  await db.query('select tarsy_index_due($1)', [forMs]);
}
