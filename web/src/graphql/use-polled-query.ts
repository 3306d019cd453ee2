import type { TypedDocumentNode } from '@urql/core';
import { useCallback } from 'react';
import type { CombinedError } from 'urql';
import { usePolling } from '../lib/use-polling.ts';
import { useAfterReconnect } from './live-connection-context.tsx';
import { useQuery } from './use-query.ts';

interface PolledQuery<Data> {
  readonly data: Data | undefined;
  readonly error: CombinedError | undefined;
  readonly refetch: () => void;
}

/** Runs a query every `everyMs` while the page is visible, and after a reconnection. */
export function usePolledQuery<Data>(
  query: TypedDocumentNode<Data, { [key: string]: never }>,
  everyMs: number,
): PolledQuery<Data> {
  const [{ data, error }, execute] = useQuery({ query, variables: {}, requestPolicy: 'cache-and-network' });
  const refetch = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  usePolling(refetch, everyMs);
  useAfterReconnect(refetch);
  return { data, error, refetch };
}
