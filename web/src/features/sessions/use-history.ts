import { useCallback } from 'react';
import type { CombinedError } from 'urql';
import { SessionHistoryDocument, type SessionHistoryQuery } from '../../graphql/gen/documents.ts';
import { usePrefetchedQueries } from '../../graphql/prefetched-queries.ts';
import { useFreshQuery } from '../../graphql/use-fresh-query.ts';
import { useDelayedRefetch } from '../../lib/use-delayed-refetch.ts';
import { formatView, type ListView, viewVariables } from './list-view.ts';

// Delay (ms) that collects the sessions of a burst, such as a cancelled queue, into one query.
const BATCH_MS = 1_000;

export interface HistoryFeed {
  /** The last page that was read; it may belong to the previous view. */
  readonly page: SessionHistoryQuery['sessions'] | null;
  /** The view that `page` belongs to. */
  readonly shown: ListView | null;
  readonly error: CombinedError | null;
  /** True while `page` does not belong to the current view. */
  readonly stale: boolean;
  readonly refetch: () => void;
  /** Reads the page again soon; many calls in a burst cause one query. */
  readonly rereadSoon: () => void;
}

/** Reads one page of finished sessions. */
export function useHistory(view: ListView): HistoryFeed {
  const prefetched = usePrefetchedQueries();
  const takeFirstRead = useCallback(
    (of: ListView) => prefetched.take('history', formatView(of).toString()),
    [prefetched],
  );
  const { data, shown, error, refetch } = useFreshQuery(
    SessionHistoryDocument,
    view,
    variablesNow,
    takeFirstRead,
  );
  const rereadSoon = useDelayedRefetch(refetch, BATCH_MS);
  return { page: data?.sessions ?? null, shown, error, stale: shown !== view, refetch, rereadSoon };
}

const variablesNow = (view: ListView) => viewVariables(view, Date.now());
