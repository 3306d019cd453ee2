import type { Queryable } from '../../db/queryable.ts';
import { headlineOf } from '../alert/headline.ts';

/** Interval (ms) between batches. After an upgrade, the backlog takes up to an hour. */
export const HEADLINE_POLL_MS = 10_000;
const BATCH_SIZE = 200;
/** Length of an alert's beginning that is read (characters), because the subject is named there. */
const HEADLINE_UNITS = 65_536;

/** Adds title, severity and entities to sessions of older versions. @returns the number of sessions */
export async function backfillHeadlines(db: Queryable, batchSize = BATCH_SIZE): Promise<number> {
  const { rows } = await db.query<{ id: string; text: string }>(
    'select id, left(alert_data, $2) as text from alert_sessions where title is null order by id desc limit $1',
    [batchSize, HEADLINE_UNITS],
  );
  for (const { id, text } of rows) {
    const { title, severity, entities } = headlineOf(text);
    // Another process may handle the same sessions; it writes the same values.
    await db.query(
      'update alert_sessions set title = $2, severity = $3, entities = $4 where id = $1 and title is null',
      [id, title, severity, entities],
    );
  }
  return rows.length;
}
