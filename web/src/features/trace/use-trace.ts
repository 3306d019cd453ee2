import { useCallback, useEffect } from 'react';
import { type CombinedError, useClient } from 'urql';
import { UNCACHED } from '../../graphql/client.ts';
import { TracePageDocument, TracePulseDocument } from '../../graphql/gen/lazy-documents.ts';
import { useAfterReconnect } from '../../graphql/live-connection-context.tsx';
import { useQuery } from '../../graphql/use-query.ts';
import { isFinished } from '../../lib/status.ts';
import type { TraceSession } from './trace-model.ts';

// Delay (ms) before the query that a session event triggers, because interactions have no events of their own.
const REREAD_AFTER_MS = 1_500;

export interface TraceRead {
  /** Undefined until loaded; `null` if there is no such session. */
  readonly session: TraceSession | null | undefined;
  readonly error: CombinedError | undefined;
  readonly retry: () => void;
}

/** Reads a session's trace without contents, and again after each burst of the session's events. */
export function useTrace(id: string): TraceRead {
  const [{ data, error }, read] = useQuery({
    query: TracePageDocument,
    variables: { id },
    requestPolicy: 'cache-and-network',
  });
  const session = data?.session;
  const sessionId = session?.id;
  const client = useClient();
  const refetch = useCallback(() => read({ requestPolicy: 'network-only' }), [read]);
  useAfterReconnect(refetch);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a later cursor must not restart the subscription
  useEffect(() => {
    if (sessionId === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const after = session?.eventCursor ?? null;
    const events = client.subscription(TracePulseDocument, { sessionId, after }, UNCACHED);
    const { unsubscribe } = events.subscribe(({ data: told }) => {
      const event = told?.sessionEvents;
      if (event === undefined || event.__typename === 'StreamChunk' || event.__typename === 'CaughtUp')
        return;
      timer ??= setTimeout(() => {
        timer = undefined;
        refetch();
      }, REREAD_AFTER_MS);
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [client, sessionId, refetch]);
  return { session, error, retry: refetch };
}

/** True while the session or one of its stages runs, including the answer to a question. */
export function isRunning({ status, trace }: TraceSession): boolean {
  return !isFinished(status) || trace.stages.some(({ stage }) => !isFinished(stage.status));
}
