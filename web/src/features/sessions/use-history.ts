import { useCallback, useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { SessionHistoryDocument } from '../../graphql/gen/documents.ts';
import { appendPage, type History, replaceHead } from './history.ts';

const PAGE_SIZE = 25;
// What a refresh reads again at most: the API's own limit for one page is of this order.
const REFRESH_MAX = 100;

export interface HistoryFeed {
  readonly history: History | null;
  readonly error: CombinedError | null;
  readonly loading: boolean;
  readonly loadMore: () => void;
  /** Reads the newest part again; what is shown stays until the answer is there. */
  readonly refresh: () => void;
}

/** The finished sessions, page by page. */
export function useHistory(): HistoryFeed {
  const client = useClient();
  const [history, setHistory] = useState<History | null>(null);
  const [error, setError] = useState<CombinedError | null>(null);
  const [loading, setLoading] = useState(true);
  const current = useRef<History | null>(null);

  const load = useCallback(
    async (first: number, after: string | null): Promise<void> => {
      setLoading(true);
      const result = await client
        .query(SessionHistoryDocument, { first, after }, { requestPolicy: 'network-only' })
        .toPromise();
      setLoading(false);
      setError(result.error ?? null);
      const page = result.data?.sessions;
      if (page === undefined) return;
      const before = current.current;
      // Between the question and this answer a refresh may have begun the list anew: then the page does not fit.
      if (after !== null && before?.endCursor !== after) return;
      current.current =
        after === null || before === null ? replaceHead(before, page) : appendPage(before, page);
      setHistory(current.current);
    },
    [client],
  );
  const refresh = useCallback(() => {
    const shown = current.current?.rows.length ?? 0;
    void load(Math.min(REFRESH_MAX, Math.max(PAGE_SIZE, shown)), null);
  }, [load]);
  const loadMore = useCallback(() => {
    void load(PAGE_SIZE, current.current?.endCursor ?? null);
  }, [load]);
  useEffect(refresh, [refresh]);
  return { history, error, loading, loadMore, refresh };
}
