import { type CombinedError, useSubscription } from 'urql';
import {
  AlertGroupsChangedDocument,
  AlertGroupsDocument,
  type AlertGroupsQuery,
  SessionsChangedDocument,
} from '../../graphql/gen/documents.ts';
import { useFreshQuery } from '../../graphql/use-fresh-query.ts';
import { useDelayedRefetch } from '../../lib/use-delayed-refetch.ts';
import { type AlertsView, viewVariables } from './alerts-view.ts';

// In a storm thousands of groups change per minute; a burst is read once.
const BATCH_MS = 400;

export interface GroupsFeed {
  /** The last page read, which may belong to the previous view. */
  readonly page: AlertGroupsQuery['alertGroups'] | null;
  readonly shown: AlertsView | null;
  readonly error: CombinedError | null;
  /** True while `page` belongs to another view. */
  readonly stale: boolean;
  readonly refetch: () => void;
}

/** Reads one page of groups, again whenever a group or a listed investigation changes. */
export function useGroups(view: AlertsView): GroupsFeed {
  const { data, shown, error, refetch } = useFreshQuery(AlertGroupsDocument, view, currentVariables);
  const refetchSoon = useDelayedRefetch(refetch, BATCH_MS);
  useSubscription({ query: AlertGroupsChangedDocument }, (_before, event) => {
    refetchSoon();
    return event;
  });
  const listed = new Set(data?.alertGroups.nodes.flatMap(({ sessions }) => sessions.map(({ id }) => id)));
  useSubscription({ query: SessionsChangedDocument }, (_before, event) => {
    if (listed.has(event.sessionsChanged.session.id)) refetchSoon();
    return event;
  });
  return { page: data?.alertGroups ?? null, shown, error, stale: shown !== view, refetch };
}

const currentVariables = (view: AlertsView) => viewVariables(view, Date.now());
