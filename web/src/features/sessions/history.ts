import type { SessionHistoryQuery, SessionRowFragment } from '../../graphql/gen/documents.ts';

type Page = SessionHistoryQuery['sessions'];

/** The finished sessions loaded so far, newest first, without holes. */
export interface History {
  readonly rows: readonly SessionRowFragment[];
  /** Where the next older page begins. */
  readonly endCursor: string | null;
  readonly hasMore: boolean;
  readonly total: number;
}

/** The history after the next older page has come. */
export function appendPage(history: History, page: Page): History {
  const known = new Set(history.rows.map((row) => row.id));
  const older = page.edges.map((edge) => edge.node).filter((row) => !known.has(row.id));
  return { ...end(page), rows: [...history.rows, ...older], total: page.totalCount };
}

/**
 * The history after its newest part has been read again. Rows older than that part stay, when the two overlap;
 * otherwise so much is new that there may be a hole between them, and the list begins again with the new part.
 */
export function replaceHead(history: History | null, page: Page): History {
  const head = page.edges.map((edge) => edge.node);
  const fresh: History = { ...end(page), rows: head, total: page.totalCount };
  const last = head.at(-1);
  if (history === null || last === undefined || !page.pageInfo.hasNextPage) return fresh;
  const overlap = history.rows.findIndex((row) => row.id === last.id);
  if (overlap < 0) return fresh;
  const tail = history.rows.slice(overlap + 1);
  if (tail.length === 0) return fresh;
  return { ...history, rows: [...head, ...tail], total: page.totalCount };
}

const end = ({ pageInfo }: Page) => ({ endCursor: pageInfo.endCursor, hasMore: pageInfo.hasNextPage });
