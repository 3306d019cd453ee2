import { useCallback } from 'react';
import { SystemWarningsDocument, type SystemWarningsQuery } from '../graphql/gen/documents.ts';
import { useAfterReconnect } from '../graphql/socket-context.tsx';
import { useQuery } from '../graphql/use-query.ts';
import { usePolling } from '../lib/use-polling.ts';

// Servers are checked every 15 s; later than that is soon enough for a banner.
const READ_EVERY_MS = 20_000;

export type SystemWarning = SystemWarningsQuery['systemWarnings'][number];

/** What the system warns of now, kept up to date. Undefined while it is not known. */
export function useSystemWarnings(): readonly SystemWarning[] | undefined {
  const [{ data }, reread] = useQuery({
    query: SystemWarningsDocument,
    requestPolicy: 'cache-and-network',
  });
  const read = useCallback(() => reread({ requestPolicy: 'network-only' }), [reread]);
  usePolling(read, READ_EVERY_MS);
  useAfterReconnect(read);
  return data?.systemWarnings;
}
