import { useCallback, useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient, useSubscription } from 'urql';
import {
  AlertGroupsChangedDocument,
  AlertGroupsDocument,
  type AlertGroupsQuery,
  SessionsChangedDocument,
} from '../../graphql/gen/documents.ts';
import { useAfterReconnect } from '../../graphql/socket-context.tsx';
import { useRereadSoon } from '../../lib/use-reread-soon.ts';
import { type AlertsView, viewVariables } from './alerts-view.ts';

// In a storm thousands change within a minute: one reading for all of a burst.
const GATHER_MS = 400;

export interface GroupsFeed {
  /** The last page that was read, which may still be that of the view before. */
  readonly page: AlertGroupsQuery['alertGroups'] | null;
  readonly error: CombinedError | null;
  /** What is shown is not yet what was asked for. */
  readonly stale: boolean;
  readonly reread: () => void;
}

/** One page of groups, read again when one of them, another group or an investigation has changed. */
export function useGroups(view: AlertsView): GroupsFeed {
  const client = useClient();
  const [page, setPage] = useState<GroupsFeed['page']>(null);
  const [error, setError] = useState<CombinedError | null>(null);
  const [shown, setShown] = useState<AlertsView | null>(null);
  const turn = useRef(0);
  const load = useCallback(async (): Promise<void> => {
    turn.current += 1;
    const own = turn.current;
    const result = await client
      .query(AlertGroupsDocument, viewVariables(view, Date.now()), { requestPolicy: 'network-only' })
      .toPromise();
    if (own !== turn.current) return;
    setError(result.error ?? null);
    if (!result.data) return;
    setShown(view);
    setPage(result.data.alertGroups);
  }, [client, view]);
  useEffect(() => void load(), [load]);
  const reread = useCallback(() => void load(), [load]);
  const soon = useRereadSoon(reread, GATHER_MS);
  useSubscription({ query: AlertGroupsChangedDocument }, (_before, data) => {
    soon();
    return data;
  });
  const listed = new Set(page?.nodes.flatMap(({ sessions }) => sessions.map(({ id }) => id)));
  useSubscription({ query: SessionsChangedDocument }, (_before, data) => {
    if (listed.has(data.sessionsChanged.session.id)) soon();
    return data;
  });
  useAfterReconnect(reread);
  return { page, error, stale: shown !== view, reread };
}
