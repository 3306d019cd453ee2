import type { TypedDocumentNode } from '@urql/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type AnyVariables, type CombinedError, type OperationResult, useClient } from 'urql';
import { createRefetchQueue } from '../lib/refetch-queue.ts';
import { useAfterReconnect } from './live-connection-context.tsx';

export interface FreshQuery<Data, Input> {
  /** The last answer, which may belong to the previous input. */
  readonly data: Data | null;
  /** The input to which `data` belongs. */
  readonly shown: Input | null;
  readonly error: CombinedError | null;
  readonly refetch: () => Promise<void>;
}

/**
 * Reads data that only the server can select and sort, such as a page of a list. Reads when `input` changes
 * and after a reconnection, never from the cache. Keeps the previous data until the next answer. Ignores an
 * answer if a later request was sent. `refetch` waits for a running request, because urql would return the
 * answer of the running one. `variablesOf` must be a stable function. `first` returns a prefetched answer, or
 * null.
 */
export function useFreshQuery<Data, Variables extends AnyVariables, Input>(
  document: TypedDocumentNode<Data, Variables>,
  input: Input,
  variablesOf: (input: Input) => Variables,
  first?: (input: Input) => Promise<OperationResult<Data>> | null,
): FreshQuery<Data, Input> {
  const client = useClient();
  const [{ data, shown }, setAnswer] = useState<Pick<FreshQuery<Data, Input>, 'data' | 'shown'>>(NO_ANSWER);
  const [error, setError] = useState<CombinedError | null>(null);
  const requestNumber = useRef(0);
  const [queue] = useState(createRefetchQueue);
  const newest = useRef(input);
  newest.current = input;
  const read = useCallback(
    async (prefetched: Promise<OperationResult<Data>> | null): Promise<void> => {
      requestNumber.current += 1;
      const ownNumber = requestNumber.current;
      const requestedInput = newest.current;
      const options = { requestPolicy: 'network-only' } as const;
      const result = await (prefetched ??
        client.query(document, variablesOf(requestedInput), options).toPromise());
      if (ownNumber !== requestNumber.current) return;
      setError(result.error ?? null);
      if (result.data) setAnswer({ data: result.data, shown: requestedInput });
    },
    [client, document, variablesOf],
  );
  useEffect(() => void queue.runNow(() => read(first?.(input) ?? null)), [queue, read, first, input]);
  const refetch = useCallback(() => queue.runNext(() => read(null)), [queue, read]);
  useAfterReconnect(refetch);
  return { data, shown, error, refetch };
}

const NO_ANSWER = { data: null, shown: null } as const;
