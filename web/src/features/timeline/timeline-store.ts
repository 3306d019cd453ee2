import { createContext, useContext, useSyncExternalStore } from 'react';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import {
  initialTimelineState,
  itemText,
  reduceEvents,
  type SessionEvent,
  type TimelineState,
} from './timeline-reducer.ts';

/** The state of a session without streaming texts and cursor. */
export type TimelineStructure = Omit<TimelineState, 'texts' | 'cursor'>;

/**
 * Holds a session's state outside React, because up to 200 text chunks arrive per second. A chunk re-renders only its
 * own entry; other changes re-render everything.
 */
export interface TimelineStore {
  readonly getState: () => TimelineState;
  /** Returns the same object until something other than a streaming text changes. */
  readonly getStructure: () => TimelineStructure;
  readonly reset: (state: TimelineState) => void;
  readonly applyEvents: (events: readonly SessionEvent[]) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createTimelineStore(): TimelineStore {
  const listeners = new Set<() => void>();
  let state: TimelineState = initialTimelineState;
  let structure: TimelineStructure = state;
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    getState: () => state,
    getStructure: () => structure,
    reset: (from) => {
      state = from;
      structure = from;
      notify();
    },
    applyEvents: (events) => {
      state = reduceEvents(state, events);
      if (events.some((event) => event.__typename !== 'StreamChunk')) structure = state;
      notify();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const TimelineStoreContext = createContext<TimelineStore | null>(null);
export const TimelineStoreProvider = TimelineStoreContext.Provider;

function useTimelineStore(): TimelineStore {
  const store = useContext(TimelineStoreContext);
  if (store === null) throw new Error('useTimelineStore needs a TimelineStoreProvider above it');
  return store;
}

/** Returns the session's state without streaming texts, updated live. */
export function useTimelineStructure(): TimelineStructure {
  const store = useTimelineStore();
  return useSyncExternalStore(store.subscribe, store.getStructure);
}

const noSubscription = () => () => undefined;

/** Returns an item's text; while it grows, only the calling component re-renders. */
export function useItemText(item: TimelineItemFragment): string {
  const store = useTimelineStore();
  const growing = item.status === 'STREAMING';
  return useSyncExternalStore(growing ? store.subscribe : noSubscription, () =>
    itemText(store.getState(), item),
  );
}

const noTexts: TimelineState['texts'] = new Map();

/** Returns all streaming texts, updated with each chunk; if not `enabled`, an empty map that never changes. */
export function useStreamingTexts(enabled: boolean): TimelineState['texts'] {
  const store = useTimelineStore();
  return useSyncExternalStore(enabled ? store.subscribe : noSubscription, () =>
    enabled ? store.getState().texts : noTexts,
  );
}
