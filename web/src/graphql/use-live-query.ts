import type { TypedDocumentNode } from '@urql/core';
import { useCallback, useEffect } from 'react';
import type { AnyVariables, CombinedError } from 'urql';
import { useQuery } from './use-query.ts';

export interface LiveQuery<Data> {
  /** Current data, which may belong to the previous variables. */
  readonly data: Data | undefined;
  readonly error: CombinedError | undefined;
  readonly reread: () => void;
}

/** Runs a query, again whenever `version` changes. */
export function useLiveQuery<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  version: number,
): LiveQuery<Data> {
  const [{ data, error }, execute] = useQuery({ query, variables, requestPolicy: 'cache-and-network' });
  const reread = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  useEffect(() => {
    if (version > 0) reread();
  }, [version, reread]);
  return { data, error, reread };
}
