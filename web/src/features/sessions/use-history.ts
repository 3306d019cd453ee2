import { useCallback } from 'react';
import type { CombinedError } from 'urql';
import { SessionHistoryDocument, type SessionHistoryQuery } from '../../graphql/gen/documents.ts';
import { useFirstReads } from '../../graphql/prefetched-queries.ts';
import { useReading } from '../../graphql/use-fresh-query.ts';
import { useRereadSoon } from '../../lib/use-delayed-refetch.ts';
import { formatView, type ListView, viewVariables } from './list-view.ts';

// Sessions that end in a burst, such as a cancelled queue, cause one query (ms).
const BATCH_MS = 1_000;

export interface HistoryFeed {
  /** The last page that was read; it may belong to the previous view. */
  readonly page: SessionHistoryQuery['sessions'] | null;
  /** The view that `page` belongs to. */
  readonly shown: ListView | null;
  readonly error: CombinedError | null;
  /** True while `page` does not belong to the current view. */
  readonly stale: boolean;
  readonly reread: () => void;
  /** Queries again soon; many calls cause one query. */
  readonly rereadSoon: () => void;
}

/** Reads one page of finished sessions. */
export function useHistory(view: ListView): HistoryFeed {
  const firstReads = useFirstReads();
  const takeFirstRead = useCallback(
    (of: ListView) => firstReads.take('history', formatView(of).toString()),
    [firstReads],
  );
  const { data, shown, error, reread } = useReading(
    SessionHistoryDocument,
    view,
    variablesNow,
    takeFirstRead,
  );
  const rereadSoon = useRereadSoon(reread, BATCH_MS);
  return { page: data?.sessions ?? null, shown, error, stale: shown !== view, reread, rereadSoon };
}

const variablesNow = (view: ListView) => viewVariables(view, Date.now());
