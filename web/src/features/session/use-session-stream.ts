import { stringifyDocument } from '@urql/core';
import { useEffect, useState } from 'react';
import { subscribeDurably } from '../../graphql/durable-subscription.ts';
import {
  SessionEventsDocument,
  type SessionEventsSubscription,
  type SessionEventsSubscriptionVariables,
} from '../../graphql/gen/documents.ts';
import { useSocket } from '../../graphql/socket-context.tsx';
import { createFrameBatch } from '../../lib/frame-batch.ts';
import { emptyTimeline, foldEvents, type SessionEvent, type TimelineState } from './timeline-reducer.ts';

// A replay of thousands of events is shown when it is over; one that takes longer, piece by piece in this rhythm.
const REPLAY_SHOWN_EVERY_MS = 1_000;

const query = stringifyDocument(SessionEventsDocument);

export interface SessionStream {
  readonly state: TimelineState;
  /** The server will not tell about this session; its reason. */
  readonly refused: string | null;
}

/**
 * Everything that has happened in a session, and what happens from now on. A lost connection goes on after the
 * newest event received. `sessionId` null: wait.
 */
export function useSessionStream(sessionId: string | null): SessionStream {
  const { client } = useSocket();
  const [stream, setStream] = useState<SessionStream>({ state: emptyTimeline, refused: null });
  useEffect(() => {
    if (sessionId === null) return;
    let state = emptyTimeline;
    let cursor: string | null = null;
    let shownAt = performance.now();
    const batch = createFrameBatch<SessionEvent>((events) => {
      state = foldEvents(state, events);
      const now = performance.now();
      if (!state.caughtUp && now - shownAt < REPLAY_SHOWN_EVERY_MS) return;
      shownAt = now;
      setStream({ state, refused: null });
    });
    const stop = subscribeDurably<SessionEventsSubscription, SessionEventsSubscriptionVariables>(
      client,
      { query, variables: () => ({ sessionId, after: cursor }) },
      {
        next: ({ data }) => {
          if (!data) return;
          cursor = data.sessionEvents.cursor ?? cursor;
          batch.push(data.sessionEvents);
        },
        refused: (reason) => setStream({ state, refused: reason }),
      },
    );
    return () => {
      stop();
      batch.cancel();
      setStream({ state: emptyTimeline, refused: null });
    };
  }, [client, sessionId]);
  return stream;
}
