import type { ApiClient } from './api.ts';

/** The state of a session as a client derives it from its event stream, over any number of connections. */
export interface Followed {
  /** Cursors in order of arrival. */
  cursors: string[];
  types: string[];
  /** Texts by timeline event: the streamed pieces and the completed text. */
  texts: Map<
    string,
    { watchedFromStart: boolean; pieces: { offset: number; delta: string }[]; final: FinalText | null }
  >;
  /** Status by stage id. */
  stages: Map<string, string>;
  connections: number;
  ended: boolean;
}

interface FinalText {
  content: string;
  type: string;
}

export interface Item {
  __typename: string;
  cursor: string | null;
  session?: { status: string };
  stage?: { id: string; status: string };
  timelineEvent?: { id: string; type: string; status: string; content: string };
  timelineEventId?: string;
  offset?: number;
  delta?: string;
}

export const FOLLOW_DOCUMENT = `subscription ($id: ID!, $after: String) { sessionEvents(sessionId: $id, after: $after) {
  __typename cursor
  ... on SessionStatusChanged { session { status } }
  ... on StageStatusChanged { stage { id status } }
  ... on TimelineEventCreated { timelineEvent { id type status content } }
  ... on TimelineEventCompleted { timelineEvent { id type status content } }
  ... on StreamChunk { timelineEventId offset delta } } }`;

export function newFollower(): Followed {
  return { cursors: [], types: [], texts: new Map(), stages: new Map(), connections: 0, ended: false };
}

/**
 * Follows a session, from the last received cursor until the session ends or `cut` returns true for an item.
 * Calls `onItem` for each item.
 */
export async function follow(
  api: ApiClient,
  sessionId: string,
  known: Followed,
  options: { isEnd: (status: string) => boolean; cut?: () => boolean; onItem?: (type: string) => void },
): Promise<void> {
  known.connections += 1;
  for (const text of known.texts.values()) if (!text.final) text.watchedFromStart = false;
  const after = known.cursors.at(-1) ?? null;
  const items = api.subscribe<{ sessionEvents: Item }>(FOLLOW_DOCUMENT, { id: sessionId, after });
  for await (const { sessionEvents: item } of items) {
    applyItem(known, item);
    options.onItem?.(item.__typename);
    if (item.session && options.isEnd(item.session.status)) {
      known.ended = true;
      return;
    }
    if (options.cut?.()) return;
  }
}

/** Applies one item to the client's view. */
export function applyItem(known: Followed, item: Item): void {
  known.types.push(item.__typename);
  if (item.cursor !== null && item.__typename !== 'CaughtUp') known.cursors.push(item.cursor);
  if (item.stage) known.stages.set(item.stage.id, item.stage.status);
  const { timelineEvent: event } = item;
  if (item.__typename === 'TimelineEventCreated' && event) {
    const final = event.status === 'STREAMING' ? null : { content: event.content, type: event.type };
    known.texts.set(event.id, { watchedFromStart: true, pieces: [], final });
  } else if (item.__typename === 'TimelineEventCompleted' && event) {
    const text = known.texts.get(event.id);
    if (!text) throw new Error(`${event.id} ended without having begun`);
    text.final = { content: event.content, type: event.type };
  } else if (item.__typename === 'StreamChunk') {
    const text = known.texts.get(item.timelineEventId ?? '');
    if (!text) throw new Error(`a piece of ${item.timelineEventId}, which has not begun`);
    text.pieces.push({ offset: item.offset ?? -1, delta: item.delta ?? '' });
  }
}
