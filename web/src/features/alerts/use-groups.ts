import { type CombinedError, useSubscription } from 'urql';
import { type AlertGroupsQuery, SessionsChangedDocument } from '../../graphql/gen/documents.ts';
import { AlertGroupsChangedDocument, AlertGroupsDocument } from '../../graphql/gen/lazy-documents.ts';
import { useFreshQuery } from '../../graphql/use-fresh-query.ts';
import { useDelayedRefetch } from '../../lib/use-delayed-refetch.ts';
import { MISSED_CHANGES_MS, usePolling } from '../../lib/use-polling.ts';
import { type AlertsView, viewVariables } from './alerts-view.ts';

// Delay (ms) that collects a burst of changes into one query; in a storm, thousands of groups change per minute.
const BATCH_MS = 400;

export interface GroupsFeed {
  /** The page that was read last; it may belong to the previous view. */
  readonly page: AlertGroupsQuery['alertGroups'] | null;
  readonly shown: AlertsView | null;
  readonly error: CombinedError | null;
  /** True while `page` does not belong to the current view. */
  readonly stale: boolean;
  readonly refetch: () => void;
}

/** Reads one page of groups, and again when a group or an investigation of a listed group changes. */
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
  usePolling(refetch, MISSED_CHANGES_MS);
  return { page: data?.alertGroups ?? null, shown, error, stale: shown !== view, refetch };
}

const currentVariables = (view: AlertsView) => viewVariables(view, Date.now());
