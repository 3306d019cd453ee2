import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FreezingProxy, openFreezingProxy } from '../../../test/helpers/freezing-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { beginRun, logOf, type RunLog } from '../../../test/helpers/run-log.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionStreamItem } from '../api/engine.ts';
import { writeRows } from '../store/event-statement.ts';
import { createGrowingText } from '../store/growing-text.ts';
import { saveTimelineText } from '../store/timeline.ts';
import { type Bus, openBus } from './bus.ts';
import { openPublisher, type Publisher, withPublishing } from './publisher.ts';
import { createSessionSubscriptions, type SessionSubscriptions } from './subscribe-session.ts';

const LONG = { timeout: 20_000, interval: 10 };
const TIMING = { probeMs: 60_000, deadlineMs: 60_000 };
const logger = pino({ level: 'silent' });

let database: TestDatabase;
let sql: pg.Pool;
let proxy: FreezingProxy;
let bus: Bus;
let publisher: Publisher;
let run: RunLog;
let subscriptions: SessionSubscriptions;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = new pg.Pool({ connectionString: database.url, max: 4 });
  proxy = await openFreezingProxy(database.url);
  bus = await openBus(proxy.url, logger, TIMING);
  publisher = openPublisher(database.url, logger);
});
afterAll(async () => {
  await publisher.close();
  await bus.close();
  await proxy.close();
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  run = await beginRun(sql, withPublishing(sql, publisher));
  subscriptions = open(NEVER_MS);
});

/** The time between polls (ms), so long that only notices deliver events. */
const NEVER_MS = 3_600_000;
const open = (pollMs: number, missed = () => {}, db: Queryable = sql) =>
  createSessionSubscriptions({
    ...{ db, replayDb: sql, coalesceMs: 0, pollMs, logger },
    bus: { ...bus, missed },
  });
afterEach(() => subscriptions.close());

/** Subscribes. Returns the growing list of received items and a function that unsubscribes. */
async function subscribe(afterSeq = 0) {
  const got: SessionStreamItem[] = [];
  const held: { item: SessionStreamItem; place: number }[] = [];
  let live = (item: SessionStreamItem, place: number): void => void held.push({ item, place });
  const stream = subscriptions.subscribeSession(run.fence.sessionId, afterSeq);
  const leave = stream.listen((item, place) => live(item, place));
  const replay = stream.replay(new AbortController().signal);
  let step = await replay.next();
  for (; !step.done; step = await replay.next()) got.push(step.value);
  const reached = step.value;
  got.push(...held.filter(({ place }) => place > reached).map(({ item }) => item));
  live = (item) => void got.push(item);
  return { got, leave };
}

const seqs = (items: SessionStreamItem[]) =>
  items.flatMap((item) => (item.kind === 'event' ? [item.seq] : []));
const upTo = (count: number, from = 1) => Array.from({ length: count - from + 1 }, (_, n) => n + from);

/** Returns the text that the pieces form. */
function laid(items: SessionStreamItem[]): string {
  let text = '';
  for (const item of items) {
    if (item.kind !== 'chunk') continue;
    expect(item.offset).toBe(text.length);
    text += item.delta;
  }
  return text;
}

test('a subscriber that joins during writes gets each event once, in order', async () => {
  const writing = run.write(60);
  const all = await Promise.all([subscribe(), subscribe(), subscribe()]);
  await writing;
  for (const { got } of all) await expect.poll(() => seqs(got).at(-1), LONG).toBe(60);
  for (const { got } of all) expect(seqs(got)).toEqual(upTo(60));
  const late = await subscribe(50);
  expect(seqs(late.got)).toEqual(upTo(60, 51));
  expect(late.got.at(-1)).toMatchObject({ kind: 'caughtUp', seq: 60 });
});

test('a subscriber that joins during a text gets all of it', async () => {
  const timelineEventId = await run.open();
  const first = await subscribe();
  expect(first.got.map(({ kind }) => kind)).toEqual(['event', 'caughtUp']); // no piece of an empty text
  const failed: unknown[] = [];
  const writer = createGrowingText({
    publisher,
    sessionId: run.fence.sessionId,
    timelineEventId,
    save: (content) => writeRows(sql, run.fence, [saveTimelineText(timelineEventId, content)]),
    onError: (error) => void failed.push(error),
  });
  const words = upTo(40).map((n) => `größer ${n} 🚨\n`);
  for (const word of words.slice(0, 20)) await writer.append(word);
  await expect.poll(() => laid(first.got), LONG).toContain(words[19]!);
  const second = await subscribe();
  for (const word of words.slice(20)) await writer.append(word);
  await run.complete(timelineEventId, writer.finish());
  for (const { got } of [first, second]) {
    await expect.poll(() => seqs(got), LONG).toEqual([1, 2]);
    expect(laid(got)).toBe(words.join(''));
  }
  expect(failed).toEqual([]);
});

test('delivers the events of an outage after the reconnection', async () => {
  const timelineEventId = await run.open();
  const { got } = await subscribe();
  await proxy.set('refuse');
  await run.write(2);
  await run.save(timelineEventId, 'hello');
  await proxy.set('pass');
  await expect.poll(() => seqs(got), LONG).toEqual([1, 2, 3]);
  await expect.poll(() => laid(got), LONG).toBe('hello');
});

test('finds events without a notice', async () => {
  subscriptions.close();
  subscriptions = open(20);
  const { got } = await subscribe();
  await logOf(run.fence, sql).write(3);
  await expect.poll(() => seqs(got), LONG).toEqual([1, 2, 3]);
});

test('reports an event that has no notice for several polls, and no other', async () => {
  subscriptions.close();
  let missed = 0;
  subscriptions = open(20, () => void missed++);
  const { got } = await subscribe();
  const noticed = new Promise((resolve) => bus.on('event', ({ seq }) => seq === 3 && resolve(seq)));
  await sql.query(`select pg_notify('tarsy_event', $1)`, [`${run.fence.sessionId}:3:x`]);
  await noticed;
  for (const seq of [1, 2, 3]) {
    await logOf(run.fence, sql).write(1);
    await expect.poll(() => seqs(got), LONG).toContain(seq);
  }
  expect(missed).toBe(0);
  await logOf(run.fence, sql).write(1);
  await expect.poll(() => missed, LONG).toBe(1);
  await logOf(run.fence, sql).write(1);
  await expect.poll(() => missed, LONG).toBe(2);
});

test('does not report an event whose notice comes after a poll', async () => {
  subscriptions.close();
  let missed = 0;
  let polls = 0;
  let isFound = false;
  const noticed = Promise.withResolvers<void>();
  const db: Queryable = {
    async query(statement, values) {
      const isPoll = typeof statement !== 'string' && statement.text.startsWith('select id, last_event_seq');
      if (isPoll && isFound) await noticed.promise; // holds the polls after the one that found the event
      const result = await sql.query<{ seq?: number }>(statement as never, values as never);
      if (isPoll) polls += 1;
      isFound ||= isPoll && result.rows[0]?.seq === 1;
      return result as never;
    },
  };
  subscriptions = open(20, () => void missed++, db);
  const { got } = await subscribe();
  await expect.poll(() => polls, LONG).toBeGreaterThan(0);
  await logOf(run.fence, sql).write(1);
  await expect.poll(() => seqs(got), LONG).toEqual([1]);
  bus.on('event', ({ sessionId }) => sessionId === run.fence.sessionId && noticed.resolve());
  await publisher.publish([{ channel: 'tarsy_event', payload: `${run.fence.sessionId}:1:x` }]);
  await noticed.promise;
  const before = polls;
  await expect.poll(() => polls, LONG).toBeGreaterThan(before + 10);
  expect(missed).toBe(0);
});

test('accepts a cursor that the shared feed has not reached yet', async () => {
  const first = await subscribe();
  await logOf(run.fence, sql).write(2);
  const second = await subscribe(2);
  expect(second.got).toMatchObject([{ kind: 'caughtUp', seq: 2 }]);
  expect(seqs(first.got)).toEqual([1, 2]);
  await run.write(1);
  for (const { got } of [first, second]) await expect.poll(() => seqs(got).at(-1), LONG).toBe(3);
  expect(seqs(second.got)).toEqual([3]);
});

test('subscribers of a session share a feed, which ends with the last of them', async () => {
  const [one, two] = [await subscribe(), await subscribe()];
  expect(subscriptions.feeds).toBe(1);
  one.leave();
  await run.write(1);
  await expect.poll(() => seqs(two.got), LONG).toEqual([1]);
  expect(seqs(one.got)).toEqual([]);
  two.leave();
  expect(subscriptions.feeds).toBe(0);
});

test('refuses a cursor of another session and an unknown session, without leaving a feed', async () => {
  await run.write(1);
  const replay = (sessionId: string, afterSeq: number) =>
    subscriptions.subscribeSession(sessionId, afterSeq).replay(new AbortController().signal).next();
  await expect(replay(run.fence.sessionId, 2)).rejects.toMatchObject({ code: 'VALIDATION', field: 'after' });
  await expect(replay('00000000-0000-7000-8000-000000000000', 0)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(subscriptions.feeds).toBe(0);
});

test('an aborted replay stops', async () => {
  await run.write(3);
  const left = new AbortController();
  const replay = subscriptions.subscribeSession(run.fence.sessionId, 0).replay(left.signal);
  expect(await replay.next()).toMatchObject({ value: { seq: 1 } });
  left.abort();
  expect(await replay.next()).toMatchObject({ done: true });
  expect(subscriptions.feeds).toBe(0);
});
