import { useEffect, useRef } from 'react';
import { useSubscription } from 'urql';
import { SessionsChangedDocument } from '../../graphql/gen/documents.ts';
import { useConnectionState } from '../../graphql/socket-context.tsx';

// A burst of changes (a stage ending, a session ending, the next one starting) is one refresh.
const GATHER_MS = 250;

/**
 * Calls `refresh` shortly after sessions changed and after the connection came back. The changes themselves
 * reach what is on the page through the normalized cache; the refresh is for what joined or left the lists.
 */
export function useChanges(refresh: () => void): void {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const gather = (): void => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      refresh();
    }, GATHER_MS);
  };
  useSubscription({ query: SessionsChangedDocument }, (_before, change) => {
    gather();
    return change;
  });
  const connection = useConnectionState();
  const wasLost = useRef(false);
  useEffect(() => {
    if (connection === 'waiting') wasLost.current = true;
    if (connection !== 'connected' || !wasLost.current) return;
    wasLost.current = false;
    refresh();
  }, [connection, refresh]);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
}
