import { createContext, useContext, useSyncExternalStore } from 'react';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import {
  emptyTimeline,
  foldEvents,
  type SessionEvent,
  type TimelineState,
  textOf,
} from './timeline-reducer.ts';

/** What a session consists of, growing texts and the place in the stream left out. */
export type TimelineStructure = Omit<TimelineState, 'texts' | 'cursor'>;

/**
 * The state of a session, outside of React: words that come 200 times a second concern the entry that they belong to
 * and nobody else. Whoever shows the rest hears of it only when the rest changes.
 */
export interface TimelineStore {
  readonly now: () => TimelineState;
  /** The same object until something besides growing texts has changed. */
  readonly structure: () => TimelineStructure;
  readonly begin: (state: TimelineState) => void;
  readonly fold: (events: readonly SessionEvent[]) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createTimelineStore(): TimelineStore {
  const listeners = new Set<() => void>();
  let state: TimelineState = emptyTimeline;
  let structure: TimelineStructure = state;
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    now: () => state,
    structure: () => structure,
    begin: (from) => {
      state = from;
      structure = from;
      tell();
    },
    fold: (events) => {
      state = foldEvents(state, events);
      if (events.some((event) => event.__typename !== 'StreamChunk')) structure = state;
      tell();
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

const never = () => () => undefined;

/** An item's words: renders the caller again, and only it, while they grow. */
export function useItemText(item: TimelineItemFragment): string {
  const store = useTimelineStore();
  const growing = item.status === 'STREAMING';
  return useSyncExternalStore(growing ? store.subscribe : never, () => textOf(store.now(), item));
}

const none: TimelineState['texts'] = new Map();

/** All texts that grow, for who must look at them all; while not `wanted`, none and no work. */
export function useGrowingTexts(wanted: boolean): TimelineState['texts'] {
  const store = useTimelineStore();
  return useSyncExternalStore(wanted ? store.subscribe : never, () => (wanted ? store.now().texts : none));
}
