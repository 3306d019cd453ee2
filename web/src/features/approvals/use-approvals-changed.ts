import { useSubscription } from 'urql';
import { ApprovalsChangedDocument } from '../../graphql/gen/documents.ts';
import { useAfterReconnect } from '../../graphql/socket-context.tsx';
import { usePolling } from '../../lib/use-polling.ts';
import { useRereadSoon } from '../../lib/use-reread-soon.ts';

// Several agents may ask at once: one reading for all of them.
const GATHER_MS = 200;
// What was missed is found; a call waits for hours.
const READ_EVERY_MS = 60_000;

/** Reads again when a call waits for approval, was decided on or made, or may have been meanwhile. */
export function useApprovalsChanged(read: () => void): void {
  const soon = useRereadSoon(read, GATHER_MS);
  useSubscription({ query: ApprovalsChangedDocument }, (_before, data) => {
    soon();
    return data;
  });
  usePolling(read, READ_EVERY_MS);
  useAfterReconnect(read);
}
