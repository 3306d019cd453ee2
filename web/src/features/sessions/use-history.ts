import { useCallback, useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { useFirstReads } from '../../graphql/first-reads.ts';
import { SessionHistoryDocument, type SessionHistoryQuery } from '../../graphql/gen/documents.ts';
import { useAfterReconnect } from '../../graphql/socket-context.tsx';
import { formatView, type ListView, viewVariables } from './list-view.ts';

// Sessions that end in one burst, such as all of a cancelled queue, are one reading.
const GATHER_MS = 1_000;

export interface HistoryFeed {
  /** The last page that was read, which may still be that of the view before. */
  readonly page: SessionHistoryQuery['sessions'] | null;
  /** What it was read for. */
  readonly shown: ListView | null;
  readonly error: CombinedError | null;
  /** What is shown is not yet what was asked for. */
  readonly stale: boolean;
  readonly reread: () => void;
  /** Reads again soon, once for many calls. */
  readonly rereadSoon: () => void;
}

/** One page of finished sessions. What is shown stays until the next answer is there. */
export function useHistory(view: ListView): HistoryFeed {
  const client = useClient();
  const first = useFirstReads();
  const [page, setPage] = useState<HistoryFeed['page']>(null);
  const [error, setError] = useState<CombinedError | null>(null);
  const [shown, setShown] = useState<ListView | null>(null);
  const turn = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);

  const load = useCallback(async (): Promise<void> => {
    turn.current += 1;
    const own = turn.current;
    const ask = () =>
      client
        .query(SessionHistoryDocument, viewVariables(view, Date.now()), { requestPolicy: 'network-only' })
        .toPromise();
    const result = await (first.take('history', formatView(view).toString()) ?? ask());
    if (own !== turn.current) return;
    setError(result.error ?? null);
    if (!result.data) return;
    setShown(view);
    setPage(result.data.sessions);
  }, [client, first, view]);
  const current = useRef(load);
  useEffect(() => {
    current.current = load;
    void load();
  }, [load]);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);

  const reread = useCallback(() => void current.current(), []);
  const rereadSoon = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      void current.current();
    }, GATHER_MS);
  }, []);
  useAfterReconnect(reread);
  return { page, shown, error, stale: shown !== view, reread, rereadSoon };
}
