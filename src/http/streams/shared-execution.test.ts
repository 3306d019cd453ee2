import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Api, globalId, openApi } from '../../../test/helpers/http-api.ts';
import {
  caughtUp,
  changed,
  chunk,
  cursor,
  DOCUMENT,
  feed,
  feedEngine,
  insertFeedRows,
  logged,
  SESSION,
} from '../../../test/helpers/session-feed.ts';
import { openSubscriber, type Subscriber, valuesOf } from '../../../test/helpers/subscriber.ts';
import { MAX_BUFFERED_BYTES } from '../tunables.ts';

let api: Api;
const open: Subscriber[] = [];
beforeAll(async () => {
  api = await openApi(feedEngine);
  await insertFeedRows(api);
});
afterEach(async () => {
  for (const { socket } of open) socket.terminate();
  await Promise.all(open.splice(0).map(({ closed }) => closed));
  await expect
    .poll(() => api.server.fanOut, { timeout: 30_000 })
    .toMatchObject({ groups: 0, subscribers: 0 });
});
afterAll(() => api.close());

async function subscribe(query: string, variables: object, id: string, caughtUpAfter: number) {
  const subscriber = await openSubscriber(api.wsUrl);
  open.push(subscriber);
  subscriber.send({ id, type: 'subscribe', payload: { query, variables } });
  await subscriber.got('next', caughtUpAfter);
  return subscriber;
}

/** Runs `act`, waits for `done`, and returns how far the counts rose meanwhile. */
async function during(act: () => void, done: () => Promise<unknown>) {
  const { executed, delivered } = api.server.fanOut;
  const statements = api.statements.length;
  act();
  await done();
  return {
    executed: api.server.fanOut.executed - executed,
    delivered: api.server.fanOut.delivered - delivered,
    statements: api.statements.slice(statements).filter(({ sql }) => /\bstages\b/.test(sql)).length,
  };
}

test('executes a live event once for subscribers with equal results, whatever their cursor and id', async () => {
  feed.reset([logged(1), logged(2), caughtUp]);
  const starts = [undefined, null, cursor(0), cursor(1), cursor(2)];
  const missing = [3, 3, 3, 2, 1];
  const subscribers = await Promise.all(
    starts.map((after, n) => subscribe(DOCUMENT, { id: SESSION, after }, `operation-${n}`, missing[n]!)),
  );
  const counts = await during(
    () => feed.push(logged(3)),
    () => Promise.all(subscribers.map((subscriber, n) => subscriber.got('next', missing[n]! + 1))),
  );
  expect(counts).toEqual({ executed: 1, delivered: 5, statements: 1 });
  for (const [n, subscriber] of subscribers.entries()) {
    expect(valuesOf(subscriber, `operation-${n}`).at(-1)).toEqual(changed(3));
  }
});

test('executes separately for different documents, variables, operations or sessions', async () => {
  feed.reset([caughtUp]);
  const spaced = DOCUMENT.replace('subscription', 'subscription  ');
  const choosing =
    'subscription ($id: ID!, $with: Boolean!) { sessionEvents(sessionId: $id) { cursor @include(if: $with) at } }';
  const two = `subscription A { sessionEvents(sessionId: "${SESSION}") { at } } subscription B { sessionEvents(sessionId: "${SESSION}") { cursor } }`;
  const operations: [string, object, object][] = [
    [DOCUMENT, { id: SESSION }, {}],
    [spaced, { id: SESSION }, {}],
    [DOCUMENT, { id: globalId('Session', SESSION) }, {}],
    [choosing, { id: SESSION, with: true }, {}],
    [choosing, { id: SESSION, with: false }, {}],
    [two, {}, { operationName: 'A' }],
    [two, {}, { operationName: 'B' }],
  ];
  const subscriber = await openSubscriber(api.wsUrl);
  open.push(subscriber);
  for (const [n, [query, variables, more]] of operations.entries()) {
    subscriber.send({ id: `${n}`, type: 'subscribe', payload: { query, variables, ...more } });
  }
  await subscriber.got('next', 7);
  const counts = await during(
    () => feed.push(chunk),
    () => subscriber.got('next', 14),
  );
  expect(counts).toMatchObject({ executed: 7, delivered: 7 });
  expect(valuesOf(subscriber, '3').at(-1)).toEqual({ cursor: null, at: '2026-01-01T12:00:00.000Z' });
  expect(valuesOf(subscriber, '4').at(-1)).toEqual({ at: '2026-01-01T12:00:00.000Z' });
  expect(valuesOf(subscriber, '6').at(-1)).toEqual({ cursor: null });
});

test('a subscriber that joins while events stream receives all of them once and in order', async () => {
  feed.reset([caughtUp]);
  await subscribe(DOCUMENT, { id: SESSION }, 'early', 1);
  let seq = 0;
  const timer = setInterval(() => feed.push(logged(++seq)), 5);
  const late = await Promise.all(
    Array.from({ length: 8 }, (_, n) => subscribe(DOCUMENT, { id: SESSION }, `late-${n}`, 1 + n)),
  );
  clearInterval(timer);
  const total = seq + 1;
  await Promise.all(late.map((subscriber) => subscriber.got('next', total)));
  const cursors = Array.from({ length: seq }, (_, n) => cursor(n + 1));
  for (const [n, subscriber] of late.entries()) {
    const seen = valuesOf(subscriber, `late-${n}`).map((value) => (value as { cursor: string }).cursor);
    expect(seen.slice(1)).toEqual(cursors); // the first item is caughtUp
  }
});

test('frames of every size arrive whole', async () => {
  feed.reset([caughtUp]);
  const subscriber = await subscribe(DOCUMENT, { id: SESSION }, 'i', 1);
  const lengths = [0, 1, 40, 60, 125, 126, 65_000, 65_530, 70_000, 300_000];
  for (const length of lengths) feed.push({ ...chunk, delta: 'é'.repeat(length) } as typeof chunk);
  await subscriber.got('next', 1 + lengths.length);
  const deltas = valuesOf(subscriber, 'i').map((value) => (value as { delta?: string }).delta);
  expect(deltas.slice(1)).toEqual(lengths.map((length) => 'é'.repeat(length)));
});

test('cuts off a client that does not read, with a code that lets it resume, and slows no other client', async () => {
  feed.reset([caughtUp]);
  const [slow, quick] = [
    await subscribe(DOCUMENT, { id: SESSION }, 'slow', 1),
    await subscribe(DOCUMENT, { id: SESSION }, 'quick', 1),
  ];
  slow.socket.pause();
  const { cutOff } = api.server.fanOut;
  const PIECE_BYTES = 64 * 1024;
  const piece = { ...chunk, delta: 'x'.repeat(PIECE_BYTES) } as typeof chunk;
  let sent = 0;
  // Pushes chunks until the kernel buffers of both ends and the server's own buffer are full.
  while (api.server.fanOut.cutOff === cutOff) {
    feed.push(piece);
    await quick.got('next', 1 + ++sent);
    expect(sent * PIECE_BYTES).toBeLessThan(64 * MAX_BUFFERED_BYTES);
  }
  feed.push(logged(1));
  await quick.got('next', 2 + sent);
  slow.socket.resume();
  expect(await slow.closed).toEqual({ code: 1013, reason: 'Too slow: resume after your last cursor' });
  expect(slow.messages.length).toBeLessThan(quick.messages.length);

  const back = await subscribe(DOCUMENT, { id: SESSION, after: cursor(0) }, 'back', 2 + sent);
  expect(valuesOf(back, 'back').at(-1)).toEqual(changed(1));
});
