import type { Viewer } from '../access/viewer.ts';
import type { SharedStream } from '../engine/api/engine.ts';
import type { ParticipantView } from './views.ts';

/** Participants shown of each kind, at most. */
export const MAX_PARTICIPANTS = 50;

/**
 * Viewers who follow a session through this process. Each process knows only its own viewers, because presence must
 * cost no write.
 */
export interface Presence {
  /** Adds a viewer until the returned function is called. */
  enter(sessionId: string, viewer: Viewer): () => void;
  /** Returns the viewers of a session, each once, the earliest first; at most `MAX_PARTICIPANTS`. */
  of(sessionId: string): ParticipantView[];
}

interface Present extends ParticipantView {
  streams: number;
}

export function createPresence(): Presence {
  const sessions = new Map<string, Map<string, Present>>();
  return {
    enter(sessionId, { name, role, via, tokenId }) {
      const viewers = sessions.get(sessionId) ?? new Map<string, Present>();
      sessions.set(sessionId, viewers);
      const key = JSON.stringify([via, tokenId, name]);
      const entry = viewers.get(key) ?? {
        ...{ name, role: role ?? '', since: new Date(), present: true, streams: 0 },
      };
      viewers.set(key, entry);
      entry.streams += 1;
      return () => {
        entry.streams -= 1;
        if (entry.streams > 0) return;
        viewers.delete(key);
        if (viewers.size === 0) sessions.delete(sessionId);
      };
    },
    of: (sessionId) =>
      [...(sessions.get(sessionId)?.values() ?? [])]
        .slice(0, MAX_PARTICIPANTS)
        .map(({ streams: _, ...participant }) => participant),
  };
}

/** Returns the stream, which calls `enter` once a subscriber reads it and the returned function when that one leaves. */
export function withPresence<T>(stream: SharedStream<T>, enter: () => () => void): SharedStream<T> {
  return {
    topic: stream.topic,
    listen: (listener) => stream.listen(listener),
    async *replay(signal) {
      if (!signal.aborted) signal.addEventListener('abort', enter(), { once: true });
      return yield* stream.replay(signal);
    },
  };
}
