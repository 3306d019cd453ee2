import type { TypedDocumentNode } from '@urql/core';
import { useCallback, useEffect } from 'react';
import type { AnyVariables, CombinedError } from 'urql';
import { useQuery } from './use-query.ts';

export interface LiveQuery<Data> {
  /** Current data, which may belong to the previous variables. */
  readonly data: Data | undefined;
  readonly error: CombinedError | undefined;
  readonly refetch: () => void;
}

/** Runs a query, and runs it again each time `version` increases. */
export function useLiveQuery<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  version: number,
): LiveQuery<Data> {
  const [{ data, error }, execute] = useQuery({ query, variables, requestPolicy: 'cache-and-network' });
  const refetch = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  useEffect(() => {
    if (version > 0) refetch();
  }, [version, refetch]);
  return { data, error, refetch };
}
