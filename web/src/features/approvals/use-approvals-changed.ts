import { useSubscription } from 'urql';
import { ApprovalsChangedDocument } from '../../graphql/gen/documents.ts';
import { useAfterReconnect } from '../../graphql/socket-context.tsx';
import { useDelayedRefetch } from '../../lib/use-delayed-refetch.ts';
import { usePolling } from '../../lib/use-polling.ts';

// Several agents may ask at once; their calls are read together.
const BATCH_MS = 200;
// Finds missed events; a call waits for hours, so this may be slow.
const READ_EVERY_MS = 60_000;

/** Calls `read` when an approval changes, and after events may have been missed. */
export function useApprovalsChanged(read: () => void): void {
  const readSoon = useDelayedRefetch(read, BATCH_MS);
  useSubscription({ query: ApprovalsChangedDocument }, (_before, data) => {
    readSoon();
    return data;
  });
  usePolling(read, READ_EVERY_MS);
  useAfterReconnect(read);
}
