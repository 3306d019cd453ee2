import { useSubscription } from 'urql';
import {
  SystemStateChangedDocument,
  SystemStateDocument,
  type SystemStateQuery,
} from '../graphql/gen/documents.ts';
import { usePolledQuery } from '../graphql/use-polled-query.ts';
import type { WaitingWork } from './waits.ts';

// Polling interval (ms), in addition to the server's events.
const READ_EVERY_MS = 15_000;

/** Returns the causes for which sessions and alert groups wait, kept up to date; undefined while unknown. */
export function useWaitingWork(): readonly WaitingWork[] | undefined {
  return useSystemState()?.waiting;
}

/** Returns what stands still and which model investigates, kept up to date; undefined while unknown. */
export function useSystemState(): SystemStateQuery['systemState'] | undefined {
  const { data, refetch } = usePolledQuery(SystemStateDocument, READ_EVERY_MS);
  useSystemStateChanged(refetch);
  return data?.systemState;
}

/** Calls `changed` once at first, and when work begins or ends to wait, within about two seconds. */
export function useSystemStateChanged(changed: () => void): void {
  useSubscription({ query: SystemStateChangedDocument }, (before: null | undefined) => {
    changed();
    return before ?? null;
  });
}
