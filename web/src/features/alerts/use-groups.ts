import { type CombinedError, useSubscription } from 'urql';
import {
  AlertGroupsChangedDocument,
  AlertGroupsDocument,
  type AlertGroupsQuery,
  SessionsChangedDocument,
} from '../../graphql/gen/documents.ts';
import { useReading } from '../../graphql/use-reading.ts';
import { useRereadSoon } from '../../lib/use-reread-soon.ts';
import { type AlertsView, viewVariables } from './alerts-view.ts';

// In a storm thousands change within a minute: one reading for all of a burst.
const GATHER_MS = 400;

export interface GroupsFeed {
  /** The last page that was read, which may still be that of the view before. */
  readonly page: AlertGroupsQuery['alertGroups'] | null;
  /** What it was read for. */
  readonly shown: AlertsView | null;
  readonly error: CombinedError | null;
  /** What is shown is not yet what was asked for. */
  readonly stale: boolean;
  readonly reread: () => void;
}

/** One page of groups, read again when one of them, another group or an investigation has changed. */
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
