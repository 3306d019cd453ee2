import { useCallback } from 'react';
import { SystemWarningsDocument, type SystemWarningsQuery } from '../graphql/gen/documents.ts';
import { useAfterReconnect } from '../graphql/socket-context.tsx';
import { useQuery } from '../graphql/use-query.ts';
import { usePolling } from '../lib/use-polling.ts';

// The server checks every 15 s; a banner may come a little later.
const READ_EVERY_MS = 20_000;

export type SystemWarning = SystemWarningsQuery['systemWarnings'][number];

/** Returns the current system warnings, kept up to date; undefined while unknown. */
export function useSystemWarnings(): readonly SystemWarning[] | undefined {
  const [{ data }, refetch] = useQuery({
    query: SystemWarningsDocument,
    requestPolicy: 'cache-and-network',
  });
  const read = useCallback(() => refetch({ requestPolicy: 'network-only' }), [refetch]);
  usePolling(read, READ_EVERY_MS);
  useAfterReconnect(read);
  return data?.systemWarnings;
}
