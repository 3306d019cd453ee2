import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { type Client, useClient } from 'urql';
import { PAST_CACHE } from '../../graphql/client.ts';
import { type FirstReads, useFirstReads } from '../../graphql/first-reads.ts';
import { SessionEventsDocument, SessionSnapshotDocument } from '../../graphql/gen/documents.ts';
import { RefusedError, requestOnce } from '../../graphql/request.ts';
import { retryPause } from '../../graphql/socket.ts';
import { createFrameBatch } from '../../lib/frame-batch.ts';
import { useServerClock } from '../../lib/server-clock.ts';
import { emptyTimeline, fromSnapshot, type SessionEvent, type TimelineState } from './timeline-reducer.ts';
import { createTimelineStore, type TimelineStore, type TimelineStructure } from './timeline-store.ts';

export interface SessionStream {
  /** The state without streaming texts, which are in the store. */
  readonly state: TimelineStructure;
  readonly store: TimelineStore;
  /** The server's reason for refusing the session's events; `null` if it sends them. */
  readonly refused: string | null;
  /** Applies an event that the page learned otherwise, such as from its own mutation. */
  readonly absorb: (event: SessionEvent) => void;
}

/**
 * Reads a session's state in one query and then follows its events. After a lost connection, the stream resumes after
 * the newest event received. `sessionId` is a global id or a UUID.
 */
export function useSessionStream(sessionId: string): SessionStream {
  const client = useClient();
  const clock = useServerClock();
  const first = useFirstReads();
  const [store] = useState(createTimelineStore);
  const [refused, setRefused] = useState<string | null>(null);
  const push = useRef<(event: SessionEvent) => void>(() => undefined);
  useEffect(() => {
    const left = new AbortController();
    const batch = createFrameBatch<SessionEvent>((events) => {
      setRefused(null);
      store.fold(events);
    });
    push.current = batch.push;
    const begin = async (): Promise<void> => {
      const start = await readSnapshot({ client, first }, sessionId, left.signal, setRefused);
      if (start === null || left.signal.aborted) return;
      setRefused(null);
      store.begin(start);
      const stop = follow(client, sessionId, start.cursor, {
        next: (event) => {
          if (event.__typename !== 'StreamChunk') clock.note(event.at);
          batch.push(event);
        },
        refuse: setRefused,
      });
      left.signal.addEventListener('abort', stop);
    };
    void begin();
    return () => {
      left.abort();
      batch.cancel();
      setRefused(null);
      store.begin(emptyTimeline);
    };
  }, [client, clock, first, sessionId, store]);
  const absorb = useCallback((event: SessionEvent) => push.current(event), []);
  const state = useSyncExternalStore(store.subscribe, store.structure);
  return { state, store, refused, absorb };
}

/** Retries until the server answers; `null` if it refuses or `signal` aborts. */
async function readSnapshot(
  { client, first }: { client: Client; first: FirstReads },
  id: string,
  signal: AbortSignal,
  refuse: (reason: string) => void,
): Promise<TimelineState | null> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const { session } = await (first.take('snapshot', id) ??
        requestOnce(client, SessionSnapshotDocument, { id }, signal));
      if (session === null) refuse('There is no such session.');
      return session && fromSnapshot(session);
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof RefusedError) {
        refuse(error.message);
        return null;
      }
      await retryPause(failures, signal);
    }
  }
  return null;
}

function follow(
  client: Client,
  sessionId: string,
  after: string | null,
  sink: { next: (event: SessionEvent) => void; refuse: (reason: string) => void },
): () => void {
  const feed = client.subscription(SessionEventsDocument, { sessionId, after }, PAST_CACHE);
  return feed.subscribe(({ data, error }) => {
    if (error?.networkError) sink.refuse(error.networkError.message);
    else if (data) sink.next(data.sessionEvents);
  }).unsubscribe;
}
