import type { TypedDocumentNode } from '@urql/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type AnyVariables, type CombinedError, type OperationResult, useClient } from 'urql';
import { createTurns } from '../lib/turns.ts';
import { useAfterReconnect } from './socket-context.tsx';

export interface Reading<Data, Asked> {
  /** What was read last, which may still be the answer to what was asked before. */
  readonly data: Data | null;
  /** What that is the answer to. */
  readonly shown: Asked | null;
  readonly error: CombinedError | null;
  readonly reread: () => Promise<void>;
}

/**
 * What only the server can order and select, such as a page of a list: always its own answer, read when something else is asked and
 * when the connection is back. What is shown stays until the next answer is there; one that comes after a later question is
 * dropped. `reread` waits for what is under way: urql would give it that answer. `variablesOf` must stay the same function.
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
