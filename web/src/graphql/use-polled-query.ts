import type { TypedDocumentNode } from '@urql/core';
import { useCallback, useEffect, useRef } from 'react';
import type { CombinedError } from 'urql';
import { usePolling } from '../lib/use-polling.ts';
import { useAfterReconnect } from './live-connection-context.tsx';
import { useQuery } from './use-query.ts';

/** Interval (ms) of reading the values that a filter offers, because new sessions and alerts bring new ones. */
export const OPTIONS_EVERY_MS = 30_000;

interface PolledQuery<Data> {
  readonly data: Data | undefined;
  readonly error: CombinedError | undefined;
  readonly refetch: () => void;
}

/**
 * Runs a query every `everyMs` while the page is visible, and after a reconnection. `refetch` waits for a running
 * request, whose answer may be older than the change that caused the refetch.
 */
export function usePolledQuery<Data>(
  query: TypedDocumentNode<Data, { [key: string]: never }>,
  everyMs: number,
): PolledQuery<Data> {
  const [{ data, error, fetching, stale }, execute] = useQuery({
    query,
    variables: {},
    requestPolicy: 'cache-and-network',
  });
  const isRunning = fetching || stale;
  const running = useRef(isRunning);
  const isOutdated = useRef(false);
  const refetch = useCallback(() => {
    isOutdated.current = running.current;
    if (!running.current) execute({ requestPolicy: 'network-only' });
  }, [execute]);
  useEffect(() => {
    running.current = isRunning;
    if (!isRunning && isOutdated.current) refetch();
  }, [isRunning, refetch]);
  usePolling(refetch, everyMs);
  useAfterReconnect(refetch);
  return { data, error, refetch };
}
