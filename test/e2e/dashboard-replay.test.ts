import { stringifyDocument } from '@urql/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  initialTimelineState,
  itemText,
  reduceEvents,
  type SessionEvent,
  stateFromSnapshot,
  type TimelineState,
} from '../../web/src/features/timeline/timeline-reducer.ts';
import {
  SessionEventsDocument,
  SessionSnapshotDocument,
  type SessionSnapshotQuery,
} from '../../web/src/graphql/gen/documents.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** Number of random runs over one recorded stream. The run's number is the seed of its cuts and batches. */
const RUNS = 400;

let app: TestApp;
let api: ApiClient;
beforeAll(async () => {
  const agent = (name: string) => ({ mcp_servers: ['tools'], custom_instructions: `You are ${name}.` });
  app = await startTestApp({
    agents: { DiskAgent: agent('DiskAgent'), LogAgent: agent('LogAgent') },
    stages: [
      { name: 'look', agents: [{ name: 'DiskAgent' }, { name: 'LogAgent' }] },
      { name: 'advise', agents: [{ name: 'TestAgent' }] },
    ],
  });
  api = apiClient(app.url);
});
afterAll(() => app.stop());

type Snapshot = NonNullable<SessionSnapshotQuery['session']>;

async function snapshotOf(id: string): Promise<Snapshot> {
  const { session } = await api.query<SessionSnapshotQuery>(stringifyDocument(SessionSnapshotDocument), {
    id,
  });
  return session!;
}

/**
 * Records the events that a subscriber with an uninterrupted connection receives, until `isLast` returns
 * true.
 */
async function record(id: string, isLast: (event: SessionEvent, all: SessionEvent[]) => boolean) {
  const all: SessionEvent[] = [];
  const events = api.subscribe<{ sessionEvents: SessionEvent }>(stringifyDocument(SessionEventsDocument), {
    sessionId: id,
  });
  for await (const { sessionEvents } of events) {
    all.push(sessionEvents);
    if (isLast(sessionEvents, all)) return all;
  }
  throw new Error('the subscription ended first');
}

const isAnswered = (event: SessionEvent): boolean =>
  event.__typename === 'StageStatusChanged' && event.stage.type === 'CHAT' && ENDED.has(event.stage.status);

/**
 * Records an investigation with every kind of streamed item, a failing tool and a question. Reads its
 * snapshot midway too.
 */
async function recordInvestigation() {
  const words = (text: string) => text.split(/(?<= )/);
  app.llm.route(
    'You are DiskAgent',
    [{ thinking: words('Where does the space go? ') }, { text: 'Measuring.' }, toolCall('tools.fail')],
    [
      { text: words('The disk is full of 😀 logs, ') },
      { gate: 'disk' },
      { text: words('old ones at that.') },
    ],
  );
  app.llm.route(
    'You are LogAgent',
    [{ gate: 'log' }, { thinking: 'Reading.' }, toolCall('tools.echo', { text: 'line' })],
    [{ text: words('Nobody rotates them.') }],
  );
  app.llm.script(
    [{ text: words('Both agree: rotate. ') }],
    [{ text: words('Rotate the logs. ') }],
    [{ text: words('Full of logs: rotate them. ') }],
    { text: 'Logs.' },
    [{ thinking: 'Who?' }, toolCall('tools.echo', { text: 'cron' })],
    [{ text: words('Cron stopped ') }, { gate: 'chat' }, { text: words('on Friday.') }],
  );
  const id = await api.submit('Disk trouble');
  const recording = record(id, isAnswered);
  const snapshots = [await snapshotOf(id)];
  await app.llm.reached('disk');
  snapshots.push(await snapshotOf(id));
  app.llm.open('log');
  app.llm.open('disk');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  snapshots.push(await snapshotOf(id));
  await api.query(
    `mutation ($input: SendChatMessageInput!) { sendChatMessage(input: $input) { __typename } }`,
    {
      input: { sessionId: id, content: 'Since when?' },
    },
  );
  await app.llm.reached('chat');
  snapshots.push(await snapshotOf(id));
  app.llm.open('chat');
  return { events: await recording, snapshots, last: await snapshotOf(id) };
}

/** Returns the state that the page shows, without cursors and without the order in which maps were filled. */
function visible(state: TimelineState) {
  const sorted = <T>(map: ReadonlyMap<string, T>) =>
    Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
  const texts = [...state.items.values()].map(
    (item) => [item.sequenceNumber, itemText(state, item)] as const,
  );
  return {
    session: state.session,
    stages: sorted(state.stages),
    executions: sorted(state.executions),
    items: sorted(state.items),
    questions: sorted(state.questions),
    texts: texts.sort(([a], [b]) => a - b),
  };
}

/** Returns numbers in [0, 1) that depend only on the seed. */
function randomFrom(seed: number): () => number {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 374761393) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns the events that the server sends to a client that reconnects at event `now`: those after `cursor`,
 * before live events.
 */
function replay(events: readonly SessionEvent[], cursor: string | null, now: number): SessionEvent[] {
  const before = events.slice(0, now);
  const seen = cursor === null ? -1 : events.findIndex((event) => event.cursor === cursor);
  const missed = before.filter(
    (event, index) => index > seen && event.cursor !== null && event.__typename !== 'CaughtUp',
  );
  const there = reduceEvents(initialTimelineState, before);
  const texts = [...there.items.values()]
    .filter((item) => item.status === 'STREAMING' && item.type !== 'LLM_TOOL_CALL')
    .map((item) => ({ id: item.id, text: itemText(there, item) }));
  const at = '2026-01-01T00:00:00.000Z';
  return [
    ...missed,
    { __typename: 'CaughtUp', cursor: missed.at(-1)?.cursor ?? cursor, at },
    ...texts.map(({ id, text }) => ({
      __typename: 'StreamChunk' as const,
      cursor: null,
      at,
      timelineEventId: id,
      offset: 0,
      delta: text,
    })),
  ];
}

test("however the stream is cut, the page shows only what has happened and ends in the server's state", async () => {
  const { events, snapshots, last } = await recordInvestigation();
  const expected = visible(stateFromSnapshot(last));
  expect(visible(reduceEvents(initialTimelineState, events))).toEqual(expected);
  expect(events.filter((event) => event.__typename === 'StreamChunk').length).toBeGreaterThan(5);

  const after = events.map((_, index) =>
    visible(reduceEvents(initialTimelineState, events.slice(0, index + 1))),
  );

  for (let run = 0; run < RUNS; run += 1) {
    const random = randomFrom(run);
    const upTo = (n: number): number => Math.floor(random() * (n + 1));
    const start = [null, ...snapshots][upTo(snapshots.length)] ?? null;
    let state = start === null ? initialTimelineState : stateFromSnapshot(start);
    // The index up to which events have happened, not before the page's snapshot.
    let now = start === null ? 0 : events.findIndex((event) => event.cursor === start.eventCursor) + 1;
    while (now < events.length) {
      now += upTo(Math.min(12, events.length - now)); // the page was disconnected for some events
      const until = now + upTo(events.length - now);
      const received = [...replay(events, state.cursor, now), ...events.slice(now, until)];
      for (let from = 0; from < received.length; ) {
        const size = 1 + upTo(8);
        state = reduceEvents(state, received.slice(from, from + size));
        from += size;
      }
      now = until;
      // A snapshot may contain more than its cursor says. Only a page that started at the beginning shows
      // exactly the past events.
      if (start === null && now > 0)
        expect(visible(state), `run ${run}, event ${now}`).toEqual(after[now - 1]);
    }
    expect(visible(state), `run ${run}`).toEqual(expected);
  }
});
