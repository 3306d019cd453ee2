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
/** The published items: the number of an event, or the offset and text of a piece. */
let told: string[];
/** The statements of the feed, how many more of them fail, and what happens while it waits for an answer. */
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

/** Resolves when all earlier notices are handled. */
const settled = () => feed.mark();

test('publishes each event once and in order, whatever the notices', async () => {
  await run.write(2);
  feed.noticeEvent(2); // no subscriber has joined yet
  expect((await feed.mark()).lastSeq).toBe(2);
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

test('publishes a text as its event, its pieces, its rest and its end', async () => {
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

test('fills a gap before a piece from the database', async () => {
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

test('a subscriber that joins during a text gets its published part', async () => {
  const id = await run.open('hel');
  expect(await feed.mark()).toEqual({
    lastSeq: 1,
    streaming: [{ timelineEventId: id, text: 'hel' }],
    position: 0,
  });
  chunk(id, 3, 'lo');
  expect(await feed.mark()).toEqual({
    lastSeq: 1,
    streaming: [{ timelineEventId: id, text: 'hello' }],
    position: 1,
  });
  await run.complete(id, 'hello');
  feed.close();
  feed = openFeed(0);
  expect(await feed.mark()).toMatchObject({ lastSeq: 2, streaming: [] });
});

test('reads the log and the growing texts after missed notices', async () => {
  const id = await run.open();
  await feed.mark();
  await run.save(id, 'hello');
  await run.write(1);
  feed.resync();
  await settled();
  expect(told).toEqual(['2', '0:hello']);
});

test('retries a failed read', async () => {
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

test('publishes the known text before the next event', async () => {
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

test('does not publish or read the text of a tool call in pieces', async () => {
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

test('publishes nothing after close', async () => {
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
