import type { TypedDocumentNode } from '@urql/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type AnyVariables, type CombinedError, type OperationResult, useClient } from 'urql';
import { createTurns } from '../lib/refetch-queue.ts';
import { useAfterReconnect } from './socket-context.tsx';

export interface Reading<Data, Asked> {
  /** The last answer, which may belong to the previous input. */
  readonly data: Data | null;
  /** The input that `data` belongs to. */
  readonly shown: Asked | null;
  readonly error: CombinedError | null;
  readonly reread: () => Promise<void>;
}

/**
 * Reads data that only the server can select and sort, such as a page of a list. Reads when `asked` changes and after a
 * reconnection, never from the cache. Keeps the previous data until the next answer; drops answers that arrive after a
 * later request. `reread` waits for a running request, because urql would return that older answer. `variablesOf` must be
 * a stable function.
 */
export function useReading<Data, Variables extends AnyVariables, Asked>(
  document: TypedDocumentNode<Data, Variables>,
  asked: Asked,
  variablesOf: (asked: Asked) => Variables,
  first?: (asked: Asked) => Promise<OperationResult<Data>> | null,
): Reading<Data, Asked> {
  const client = useClient();
  const [{ data, shown }, setAnswer] = useState<Pick<Reading<Data, Asked>, 'data' | 'shown'>>(NOTHING);
  const [error, setError] = useState<CombinedError | null>(null);
  const turn = useRef(0);
  const [turns] = useState(createTurns);
  const newest = useRef(asked);
  newest.current = asked;
  const read = useCallback(
    async (answer: Promise<OperationResult<Data>> | null): Promise<void> => {
      turn.current += 1;
      const own = turn.current;
      const of = newest.current;
      const options = { requestPolicy: 'network-only' } as const;
      const result = await (answer ?? client.query(document, variablesOf(of), options).toPromise());
      if (own !== turn.current) return;
      setError(result.error ?? null);
      if (result.data) setAnswer({ data: result.data, shown: of });
    },
    [client, document, variablesOf],
  );
  useEffect(() => void turns.now(() => read(first?.(asked) ?? null)), [turns, read, first, asked]);
  const reread = useCallback(() => turns.after(() => read(null)), [turns, read]);
  useAfterReconnect(reread);
  return { data, shown, error, reread };
}

const NOTHING = { data: null, shown: null } as const;
