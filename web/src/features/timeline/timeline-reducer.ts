import type {
  ChatQuestionFragment,
  SessionEventsSubscription,
  SessionSnapshotQuery,
  TimelineExecutionFragment,
  TimelineItemFragment,
  TimelineSessionFragment,
  TimelineStageFragment,
} from '../../graphql/gen/documents.ts';
import { emptyTextStream, insertChunk, type TextStream } from './text-stream.ts';

/** An event of the `sessionEvents` subscription, with the fields that this page selects. */
export type SessionEvent = SessionEventsSubscription['sessionEvents'];
type OfType<T extends SessionEvent['__typename']> = Extract<SessionEvent, { __typename: T }>;
/** The state of a session at one cursor; the event stream continues from there. */
type Snapshot = NonNullable<SessionSnapshotQuery['session']>;

/** Everything that the page knows about a session. Maps are never mutated. */
export interface TimelineState {
  readonly session: TimelineSessionFragment | null;
  readonly stages: ReadonlyMap<string, TimelineStageFragment>;
  readonly executions: ReadonlyMap<string, TimelineExecutionFragment>;
  readonly items: ReadonlyMap<string, TimelineItemFragment>;
  /** Questions about the session, by id. */
  readonly questions: ReadonlyMap<string, ChatQuestionFragment>;
  /** Texts of items that are still streaming, by item id. */
  readonly texts: ReadonlyMap<string, TextStream>;
  /** True once the stored events have been read; later events are live. */
  readonly caughtUp: boolean;
  /** Cursor of the newest event received (`null` if none); a new connection resumes after it. */
  readonly cursor: string | null;
}

export const initialTimelineState: TimelineState = {
  session: null,
  stages: new Map(),
  executions: new Map(),
  items: new Map(),
  questions: new Map(),
  texts: new Map(),
  caughtUp: false,
  cursor: null,
};

const byId = <T extends { readonly id: string }>(values: readonly T[]): ReadonlyMap<string, T> =>
  new Map(values.map((value) => [value.id, value]));

/** Returns the state that a snapshot describes; the stream continues after its cursor. */
export function stateFromSnapshot(snapshot: Snapshot): TimelineState {
  const { stages, timeline, chat, eventCursor, ...session } = snapshot;
  return {
    session,
    stages: byId(stages.map(({ executions: _, ...stage }) => stage)),
    executions: byId(stages.flatMap((stage) => stage.executions)),
    items: byId(timeline),
    questions: byId(chat?.messages ?? []),
    texts: new Map(),
    caughtUp: true,
    cursor: eventCursor,
  };
}

/**
 * Applies a batch of events to the state. Pure and idempotent: a late TimelineEventCreated never reverts a
 * completion. Each map is copied at most once per batch, so that a replay of thousands of events takes linear time.
 */
export function reduceEvents(state: TimelineState, events: readonly SessionEvent[]): TimelineState {
  if (events.length === 0) return state;
  const draft = createDraft(state);
  for (const event of events) applyEvent(draft, event);
  return draft.finish();
}

function applyEvent(draft: Draft, event: SessionEvent): void {
  if (event.cursor !== null) draft.next.cursor = event.cursor;
  switch (event.__typename) {
    case 'SessionStatusChanged':
      draft.next.session = event.session;
      break;
    case 'StageStatusChanged':
      draft.edit('stages').set(event.stage.id, event.stage);
      break;
    case 'ExecutionStatusChanged':
      draft.edit('executions').set(event.execution.id, event.execution);
      break;
    case 'TimelineEventCreated':
      applyItemCreated(draft, event.timelineEvent);
      break;
    case 'TimelineEventCompleted':
      draft.edit('items').set(event.timelineEvent.id, event.timelineEvent);
      if (draft.next.texts.has(event.timelineEvent.id)) draft.edit('texts').delete(event.timelineEvent.id);
      break;
    case 'StreamChunk':
      applyChunk(draft, event);
      break;
    case 'CaughtUp':
      draft.next.caughtUp = true;
      break;
    case 'ChatMessageAdded':
      draft.edit('questions').set(event.message.id, event.message);
      break;
    // A chat's only state is its questions.
    case 'ChatCreated':
      break;
  }
}

function applyItemCreated(draft: Draft, item: TimelineItemFragment): void {
  const known = draft.next.items.get(item.id);
  if (known !== undefined && known.status !== 'STREAMING') return;
  draft.edit('items').set(item.id, item);
  if (item.status !== 'STREAMING') draft.edit('texts').delete(item.id);
}

function applyChunk(draft: Draft, { timelineEventId, offset, delta }: OfType<'StreamChunk'>): void {
  const item = draft.next.items.get(timelineEventId);
  if (item !== undefined && item.status !== 'STREAMING') return;
  const before = draft.next.texts.get(timelineEventId) ?? initialText(item);
  const after = insertChunk(before, offset, delta);
  if (after !== before) draft.edit('texts').set(timelineEventId, after);
}

/** Returns the text with which an item was created; later chunks continue it. */
function initialText(item: TimelineItemFragment | undefined): TextStream {
  return item === undefined || item.content === '' ? emptyTextStream : { text: item.content, pending: [] };
}

/** Returns the text to show for an item: the streamed text while it is longer than the stored content. */
export function itemText(state: Pick<TimelineState, 'texts'>, item: TimelineItemFragment): string {
  const streamed = state.texts.get(item.id)?.text ?? '';
  return streamed.length > item.content.length ? streamed : item.content;
}

type MapKey = 'stages' | 'executions' | 'items' | 'questions' | 'texts';
type ValueOf<K extends MapKey> = TimelineState[K] extends ReadonlyMap<string, infer V> ? V : never;
type Writable = { -readonly [K in keyof TimelineState]: TimelineState[K] };

interface Draft {
  readonly next: Writable;
  /** Returns a mutable copy of the map; later calls return the same copy. */
  edit<K extends MapKey>(key: K): Map<string, ValueOf<K>>;
  finish(): TimelineState;
}

function createDraft(state: TimelineState): Draft {
  const next: Writable = { ...state };
  const copied = new Set<MapKey>();
  return {
    next,
    edit<K extends MapKey>(key: K) {
      if (!copied.has(key)) {
        copied.add(key);
        Object.assign(next, { [key]: new Map(state[key] as ReadonlyMap<string, unknown>) });
      }
      return next[key] as unknown as Map<string, ValueOf<K>>;
    },
    finish: () => next,
  };
}
