import { useSubscription } from 'urql';
import { ApprovalsChangedDocument } from '../../graphql/gen/documents.ts';
import { useAfterReconnect } from '../../graphql/live-connection-context.tsx';
import { useDelayedRefetch } from '../../lib/use-delayed-refetch.ts';
import { usePolling } from '../../lib/use-polling.ts';

// Delay (ms) that collects the requests of several agents into one query.
const BATCH_MS = 200;
// Polling interval (ms) that finds missed events. A minute is short enough, because a call waits for hours.
const READ_EVERY_MS = 60_000;

/** Calls `read` when an approval changes, after a reconnect, and periodically. */
export function useApprovalsChanged(read: () => void): void {
  const readSoon = useDelayedRefetch(read, BATCH_MS);
  useSubscription({ query: ApprovalsChangedDocument }, (_before, data) => {
    readSoon();
    return data;
  });
  usePolling(read, READ_EVERY_MS);
  useAfterReconnect(read);
}
