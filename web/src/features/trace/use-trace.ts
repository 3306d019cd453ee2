import { stringifyDocument } from '@urql/core';
import { useEffect } from 'react';
import { type CombinedError, useQuery } from 'urql';
import { subscribeDurably } from '../../graphql/durable-subscription.ts';
import {
  TracePageDocument,
  TracePulseDocument,
  type TracePulseSubscription,
  type TracePulseSubscriptionVariables,
} from '../../graphql/gen/documents.ts';
import { useSocket } from '../../graphql/socket-context.tsx';
import { isFinished } from '../../lib/status.ts';
import type { TraceSession } from './trace-model.ts';

// Interactions have no events of their own: what happens in the session says when to look again, at most this often.
const REREAD_AFTER_MS = 1_500;

const query = stringifyDocument(TracePulseDocument);

export interface TraceRead {
  /** Undefined: not read yet; null: there is no such session. */
  readonly session: TraceSession | null | undefined;
  readonly error: CombinedError | undefined;
  readonly retry: () => void;
}

/** A session's trace without its large parts, read again while the session goes on. */
export function useTrace(id: string): TraceRead {
  const [{ data, error }, read] = useQuery({
    query: TracePageDocument,
    variables: { id },
    requestPolicy: 'cache-and-network',
  });
  const session = data?.session;
  const sessionId = session?.id;
  const { client } = useSocket();
  // biome-ignore lint/correctness/useExhaustiveDependencies: where to begin is only asked for at the beginning
  useEffect(() => {
    if (sessionId === undefined) return;
    let after = session?.eventCursor ?? null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = subscribeDurably<TracePulseSubscription, TracePulseSubscriptionVariables>(
      client,
      { query, variables: () => ({ sessionId, after }) },
      {
        next: ({ data: pulse }) => {
          const event = pulse?.sessionEvents;
          after = event?.cursor ?? after;
          if (event === undefined || event.__typename === 'StreamChunk' || event.__typename === 'CaughtUp')
            return;
          timer ??= setTimeout(() => {
            timer = undefined;
            read({ requestPolicy: 'network-only' });
          }, REREAD_AFTER_MS);
        },
        refused: () => undefined,
      },
    );
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [client, sessionId, read]);
  return { session, error, retry: () => read({ requestPolicy: 'network-only' }) };
}

/** Whether something of the trace still goes on, the answer to a question included. */
export function isRunning({ status, trace }: TraceSession): boolean {
  return !isFinished(status) || trace.stages.some(({ stage }) => !isFinished(stage.status));
}
