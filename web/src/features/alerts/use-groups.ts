import { type CombinedError, useSubscription } from 'urql';
import {
  AlertGroupsChangedDocument,
  AlertGroupsDocument,
  type AlertGroupsQuery,
  SessionsChangedDocument,
} from '../../graphql/gen/documents.ts';
import { useReading } from '../../graphql/use-fresh-query.ts';
import { useRereadSoon } from '../../lib/use-delayed-refetch.ts';
import { type AlertsView, viewVariables } from './alerts-view.ts';

// In a storm thousands of groups change per minute; a burst is read once.
const GATHER_MS = 400;

export interface GroupsFeed {
  /** The last page read, which may belong to the previous view. */
  readonly page: AlertGroupsQuery['alertGroups'] | null;
  /** The view that `page` belongs to. */
  readonly shown: AlertsView | null;
  readonly error: CombinedError | null;
  /** True while `page` belongs to another view. */
  readonly stale: boolean;
  readonly reread: () => void;
}

/** Reads one page of groups, again whenever a group or a listed investigation changes. */
export function useGroups(view: AlertsView): GroupsFeed {
  const { data, shown, error, reread } = useReading(AlertGroupsDocument, view, variablesNow);
  const soon = useRereadSoon(reread, GATHER_MS);
  useSubscription({ query: AlertGroupsChangedDocument }, (_before, told) => {
    soon();
    return told;
  });
  const listed = new Set(data?.alertGroups.nodes.flatMap(({ sessions }) => sessions.map(({ id }) => id)));
  useSubscription({ query: SessionsChangedDocument }, (_before, told) => {
    if (listed.has(told.sessionsChanged.session.id)) soon();
    return told;
  });
  return { page: data?.alertGroups ?? null, shown, error, stale: shown !== view, reread };
}

const variablesNow = (view: AlertsView) => viewVariables(view, Date.now());
