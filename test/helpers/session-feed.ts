import type {
  Engine,
  LiveListener,
  SessionSnapshot,
  SessionStreamItem,
} from '../../src/engine/api/engine.ts';
import { type Api, globalId, insertRow, insertSession } from './http-api.ts';

export const SESSION = '00000000-0000-7000-8000-000000000001';
export const STAGE = '00000000-0000-7000-8000-000000000002';
const EVENT = '00000000-0000-7000-8000-000000000003';
const at = new Date('2026-01-01T12:00:00.000Z');

/**
 * A log of items that subscribers replay and then follow. The abort signals show which subscribers are still
 * connected.
 */
export const feed = {
  items: [] as SessionStreamItem[],
  asked: [] as { id: string; afterSeq: number; signal: AbortSignal }[],
  failure: null as Error | null,
  listeners: new Set<LiveListener<SessionStreamItem>>(),
  reset(items: SessionStreamItem[]) {
    feed.items = items;
    feed.failure = null;
    feed.asked = [];
  },
  push(item: SessionStreamItem) {
    feed.items.push(item);
    for (const listener of feed.listeners) listener(item, feed.items.length);
  },
  /** Makes the replay fail after the existing items. */
  fail(error: Error) {
    feed.failure = error;
  },
  async *replay(afterSeq: number): AsyncGenerator<SessionStreamItem, number, void> {
    let place = 0;
    for (; place < feed.items.length; place++) {
      const item = feed.items[place]!;
      if (item.kind !== 'event' || item.seq > afterSeq) yield item;
    }
    if (feed.failure) throw feed.failure;
    return place;
  },
};

const snapshot = (status: string) =>
  ({ id: SESSION, status, currentStageId: STAGE, createdAt: at }) as SessionSnapshot;
export const logged = (seq: number): SessionStreamItem => ({
  kind: 'event',
  sessionId: SESSION,
  seq,
  at,
  type: 'SessionStatusChanged',
  row: snapshot(seq === 1 ? 'PENDING' : 'IN_PROGRESS'),
});
export const caughtUp: SessionStreamItem = { kind: 'caughtUp', sessionId: SESSION, seq: 3, at };
export const chunk: SessionStreamItem = {
  kind: 'chunk',
  sessionId: SESSION,
  timelineEventId: EVENT,
  offset: 0,
  delta: 'hé\n',
  at,
};
export const cursor = (seq: number) => Buffer.from(`v1:${seq}`).toString('base64url');

export const DOCUMENT = `subscription ($id: ID!, $after: String) { sessionEvents(sessionId: $id, after: $after) {
  __typename sessionId cursor at
  ... on SessionStatusChanged { session { id status alertData queuePosition currentStage { name } } }
  ... on StreamChunk { timelineEventId offset delta } } }`;

const head = (type: string, seq: number | null) => ({
  __typename: type,
  sessionId: globalId('Session', SESSION),
  cursor: seq === null ? null : cursor(seq),
  at: '2026-01-01T12:00:00.000Z',
});
export const changed = (seq: number) => ({
  ...head('SessionStatusChanged', seq),
  session: {
    id: globalId('Session', SESSION),
    status: seq === 1 ? 'PENDING' : 'IN_PROGRESS',
    alertData: 'disk almost full',
    queuePosition: seq === 1 ? 1 : null,
    currentStage: { name: 'look' },
  },
});
export const REPLAY = [logged(1), logged(2), logged(3), caughtUp, chunk];
export const EXPECTED = [
  changed(1),
  changed(2),
  changed(3),
  head('CaughtUp', 3),
  {
    ...head('StreamChunk', null),
    timelineEventId: globalId('TimelineEvent', EVENT),
    offset: 0,
    delta: 'hé\n',
  },
];

export async function take<T>(results: AsyncIterableIterator<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const { value, done } = await results.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

/** An engine with only the streams, which read from the feed. */
export const feedEngine: Partial<Engine> = {
  subscribeSession: (id, afterSeq) => ({
    topic: `session ${id}`,
    listen(listener) {
      feed.listeners.add(listener);
      return () => void feed.listeners.delete(listener);
    },
    replay(signal) {
      feed.asked.push({ id, afterSeq, signal });
      return feed.replay(afterSeq);
    },
  }),
  subscribeSessions: () => ({
    topic: 'sessions',
    listen(listener) {
      setImmediate(() => listener(snapshot('IN_PROGRESS'), 1));
      return () => {};
    },
    // biome-ignore lint/correctness/useYield: nothing comes before what is live
    async *replay() {
      return 0;
    },
  }),
};

/** Inserts the rows that the feed's items refer to. */
export async function insertFeedRows({ pool }: Api): Promise<void> {
  await insertSession(pool, { id: SESSION, last_event_seq: 3 });
  await insertRow(pool, 'stages', {
    id: STAGE,
    session_id: SESSION,
    name: 'look',
    index: 1,
    type: 'INVESTIGATION',
  });
}
