import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { type Client, useClient } from 'urql';
import { UNCACHED } from '../../graphql/client.ts';
import { SessionEventsDocument, SessionSnapshotDocument } from '../../graphql/gen/documents.ts';
import { type PrefetchedQueries, usePrefetchedQueries } from '../../graphql/prefetched-queries.ts';
import { RefusedError, requestOnce } from '../../graphql/request.ts';
import { retryPause } from '../../graphql/socket.ts';
import { createFrameBatch } from '../../lib/frame-batch.ts';
import { useServerClock } from '../../lib/server-clock.ts';
import {
  initialTimelineState,
  type SessionEvent,
  stateFromSnapshot,
  type TimelineState,
} from './timeline-reducer.ts';
import { createTimelineStore, type TimelineStore, type TimelineStructure } from './timeline-store.ts';

export interface SessionStream {
  /** The state without streaming texts, which only `store` holds. */
  readonly state: TimelineStructure;
  readonly store: TimelineStore;
  /** The server's reason for refusing the session's events; `null` if it sends them. */
  readonly refusal: string | null;
  /** Applies an event that did not come from the stream, such as the result of the page's own mutation. */
  readonly applyEvent: (event: SessionEvent) => void;
}

/**
 * Reads a session's state in one query and then follows its events. After a lost connection, the stream resumes after
 * the newest event received. `sessionId` is a global id or a UUID.
 */
export function useSessionStream(sessionId: string): SessionStream {
  const client = useClient();
  const clock = useServerClock();
  const prefetched = usePrefetchedQueries();
  const [store] = useState(createTimelineStore);
  const [refusal, setRefusal] = useState<string | null>(null);
  const push = useRef<(event: SessionEvent) => void>(() => undefined);
  useEffect(() => {
    const controller = new AbortController();
    const batch = createFrameBatch<SessionEvent>((events) => {
      setRefusal(null);
      store.applyEvents(events);
    });
    push.current = batch.push;
    const start = async (): Promise<void> => {
      const initial = await readSnapshot({ client, prefetched }, sessionId, controller.signal, setRefusal);
      if (initial === null || controller.signal.aborted) return;
      setRefusal(null);
      store.reset(initial);
      const stop = subscribe(client, sessionId, initial.cursor, {
        onEvent: (event) => {
          if (event.__typename !== 'StreamChunk') clock.note(event.at);
          batch.push(event);
        },
        onRefused: setRefusal,
      });
      controller.signal.addEventListener('abort', stop);
    };
    void start();
    return () => {
      controller.abort();
      batch.cancel();
      setRefusal(null);
      store.reset(initialTimelineState);
    };
  }, [client, clock, prefetched, sessionId, store]);
  const applyEvent = useCallback((event: SessionEvent) => push.current(event), []);
  const state = useSyncExternalStore(store.subscribe, store.getStructure);
  return { state, store, refusal, applyEvent };
}

/** Reads the session's state, retrying until the server answers; `null` if the server refuses or `signal` aborts. */
async function readSnapshot(
  { client, prefetched }: { client: Client; prefetched: PrefetchedQueries },
  id: string,
  signal: AbortSignal,
  onRefused: (reason: string) => void,
): Promise<TimelineState | null> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const { session } = await (prefetched.take('snapshot', id) ??
        requestOnce(client, SessionSnapshotDocument, { id }, signal));
      if (session === null) onRefused('Session not found.');
      return session && stateFromSnapshot(session);
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof RefusedError) {
        onRefused(error.message);
        return null;
      }
      await retryPause(failures, signal);
    }
  }
  return null;
}

function subscribe(
  client: Client,
  sessionId: string,
  after: string | null,
  observer: { onEvent: (event: SessionEvent) => void; onRefused: (reason: string) => void },
): () => void {
  const source = client.subscription(SessionEventsDocument, { sessionId, after }, UNCACHED);
  return source.subscribe(({ data, error }) => {
    if (error?.networkError) observer.onRefused(error.networkError.message);
    else if (data) observer.onEvent(data.sessionEvents);
  }).unsubscribe;
}
