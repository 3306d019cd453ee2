import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { beginRun, type RunLog } from '../../../test/helpers/run-log.ts';
import type { Queryable } from '../../db/queryable.ts';
import { REPLAY_PAGE } from './event-log.ts';
import { createSessionFeed, type SessionFeed } from './session-feed.ts';

const LONG = { timeout: 20_000, interval: 10 };

let database: TestDatabase;
let sql: pg.Pool;
let run: RunLog;
let feed: SessionFeed;
/** Sent items: the sequence number of an event, or offset and text of a chunk. */
let told: string[];
/** Statements that the feed made; so many more of them fail; what happens while it waits for an answer. */
let statements: number;
let failing: number;
let meanwhile: () => void;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = new pg.Pool({ connectionString: database.url, max: 3 });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

beforeEach(async () => {
  told = [];
  statements = 0;
  failing = 0;
  meanwhile = () => {};
  run = await beginRun(sql);
  feed = openFeed(0);
});
afterEach(() => feed.close());

const db: Queryable = {
  async query(statement, values) {
    statements += 1;
    if (failing-- > 0) throw new Error('the database is away');
    const answer = await sql.query(statement as string, values);
    meanwhile();
    return answer as never;
  },
};

function openFeed(coalesceMs: number): SessionFeed {
  const logger = pino({ level: 'silent' });
  const opened = createSessionFeed({ db, sessionId: run.fence.sessionId, coalesceMs, logger });
  opened.listen((item) => {
    if (item.kind === 'event') told.push(`${item.seq}`);
    if (item.kind === 'chunk') told.push(`${item.offset}:${item.delta}`);
  });
  return opened;
}

const chunk = (timelineEventId: string, offset: number, delta: string, saved = 0) =>
  feed.noticeChunk({ sessionId: run.fence.sessionId, timelineEventId, offset, delta, saved });

/** Resolves when all that was noticed so far has been dealt with. */
const settled = () => feed.mark();

test('each event is told once and in order, whatever the notices say', async () => {
  await run.write(2);
  feed.noticeEvent(2); // no position is marked yet
  expect((await feed.mark()).edge).toBe(2);
  await run.write(3);
  feed.noticeEvent(5);
  await settled();
  const before = statements;
  for (const seq of [3, 2, 5]) feed.noticeEvent(seq);
  await settled();
  expect(statements).toBe(before);
  expect(told).toEqual(['3', '4', '5']);
});

test('one notice is enough for any number of events', async () => {
  await feed.mark();
  const count = REPLAY_PAGE + 10;
  await sql.query(
    `insert into session_events (session_id, seq, type, payload)
     select $1, n, 'ChatCreated', '{}' from generate_series(1, $2::int) n`,
    [run.fence.sessionId, count],
  );
  feed.noticeEvent(1);
  await settled();
  expect(told).toEqual(Array.from({ length: count }, (_, n) => `${n + 1}`));
});

test('a text: its event, its pieces, its rest, its end', async () => {
  await feed.mark();
  const id = await run.open();
  feed.noticeEvent(1);
  chunk(id, 0, 'he');
  chunk(id, 0, 'he'); // again
  chunk(id, 1, 'el');
  await settled();
  await run.complete(id, 'hello');
  feed.noticeEvent(2);
  chunk(id, 3, 'lo'); // late
  await settled();
  expect(told).toEqual(['1', '0:he', '2:l', '3:lo', '2']);
});

test('a piece beyond a gap waits until the database has what lies between', async () => {
  await feed.mark();
  const id = await run.open();
  feed.noticeEvent(1);
  chunk(id, 5, ' wor');
  await settled();
  expect(told).toEqual(['1']);
  await run.save(id, 'hello wor');
  chunk(id, 9, 'ld', 9);
  await settled();
  expect(told).toEqual(['1', '0:hello wor', '9:ld']);
});

test('a subscriber that joins in the middle of a text gets its sent part', async () => {
  const id = await run.open('hel');
  expect(await feed.mark()).toEqual({
    edge: 1,
    streaming: [{ timelineEventId: id, text: 'hel' }],
    place: 0,
  });
  chunk(id, 3, 'lo');
  expect(await feed.mark()).toEqual({
    edge: 1,
    streaming: [{ timelineEventId: id, text: 'hello' }],
    place: 1,
  });
});

test('after missed notices the log is read on, and the texts that grow', async () => {
  const id = await run.open();
  await feed.mark();
  await run.save(id, 'hello');
  await run.write(1);
  feed.resync();
  await settled();
  expect(told).toEqual(['2', '0:hello']);
});

test('what could not be read is read a little later', async () => {
  const id = await run.open();
  await feed.mark();
  await run.write(1);
  failing = 1;
  feed.noticeEvent(2);
  await expect.poll(() => told, LONG).toEqual(['2']);
  await run.save(id, 'hello');
  failing = 1;
  chunk(id, 5, ' you', 5);
  await expect.poll(() => told, LONG).toEqual(['2', '0:hello']);
});

test('what is known of a text is told before what happens next', async () => {
  feed = openFeed(60_000);
  const id = await run.open();
  await feed.mark();
  chunk(id, 0, 'at once');
  chunk(id, 7, ', and later');
  await settled();
  expect(told).toEqual(['0:at once']);
  await run.write(1);
  feed.noticeEvent(2);
  await settled();
  expect(told).toEqual(['0:at once', '7:, and later', '2']);
});

test('the text of a tool call is not told in pieces, and costs no read', async () => {
  const early = await run.open('', 'LLM_TOOL_CALL');
  expect((await feed.mark()).streaming).toEqual([]);
  const late = await run.open('', 'LLM_TOOL_CALL');
  feed.noticeEvent(2);
  await settled();
  const before = statements;
  chunk(early, 0, '{}', 2);
  chunk(late, 7, '{}', 7);
  await settled();
  expect(told).toEqual(['2']);
  expect(statements).toBe(before);
});

test('a closed feed tells nothing more', async () => {
  const id = await run.open();
  await feed.mark();
  chunk(id, 0, 'hello');
  feed.close();
  await settled();
  expect(told).toEqual([]);

  feed = openFeed(0);
  await feed.mark();
  await run.write(1);
  meanwhile = feed.close;
  feed.noticeEvent(2);
  await settled();
  expect(told).toEqual([]);
});
