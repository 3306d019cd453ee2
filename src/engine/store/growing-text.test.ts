import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { beginRun, type RunLog } from '../../../test/helpers/run-log.ts';
import type { Queryable } from '../../db/queryable.ts';
import { CHANNELS } from '../live/event-log.ts';
import { createPublisher, NOTIFY_MAX_BYTES, type Publisher } from '../live/publisher.ts';
import { PIECE_MS } from '../live/streaming-texts.ts';
import { writeRows } from './event-statement.ts';
import { CHUNK_MAX_UNITS, createGrowingText, type GrowingText } from './growing-text.ts';
import { saveTimelineText } from './timeline.ts';

const LONG = { timeout: 20_000, interval: 10 };

let database: TestDatabase;
let sql: pg.Pool;
let listener: pg.Client;
let run: RunLog;
let id: string;
/** The payloads, the errors and the executed statements, and how many more of them fail. */
let heard: string[];
let errors: unknown[];
let done: string[];
let failing: number;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = new pg.Pool({ connectionString: database.url, max: 2 });
  listener = new pg.Client({ connectionString: database.url });
  await listener.connect();
  await listener.query(`listen ${CHANNELS.chunk}`);
  listener.on('notification', ({ payload }) => void heard.push(payload ?? ''));
});
afterAll(async () => {
  await listener.end();
  await sql.end();
  await database.drop();
});
afterEach(() => void vi.useRealTimers());
beforeEach(async () => {
  heard = [];
  errors = [];
  done = [];
  failing = 0;
  run = await beginRun(sql);
  id = await run.open();
});

const db: Queryable = {
  async query(statement, values) {
    if (failing-- > 0) throw new Error('the database is away');
    const answer = await sql.query(statement as string, values);
    done.push(typeof statement === 'string' ? statement : statement.text);
    return answer as never;
  },
};
const writer = (): GrowingText =>
  createGrowingText({
    publisher: createPublisher(db, pino({ level: 'silent' })),
    sessionId: run.fence.sessionId,
    timelineEventId: id,
    save: (content) => writeRows(db, run.fence, [saveTimelineText(id, content)]),
    onError: (error) => void errors.push(error),
  });

interface Notice {
  t: string;
  o: number;
  d: string;
  c: number;
}
const notices = (): Notice[] => heard.map((payload) => JSON.parse(payload)).filter(({ t }) => t === id);
const inDatabase = async () =>
  (await sql.query<{ content: string }>('select content from timeline_events where id = $1', [id])).rows[0]!
    .content;

/** Joins the pieces, which must each start where the previous one ended. */
function laid(): string {
  let text = '';
  for (const { o, d } of notices()) {
    expect(o).toBe(text.length);
    text += d;
  }
  return text;
}

test('pieces follow each other and form the text', async () => {
  const { append, finish } = writer();
  const words = Array.from({ length: 300 }, (_, n) => `${n} "größer" 🚨 磁盘\n`);
  for (const word of words) await append(word);
  const text = finish();
  expect(text).toBe(words.join(''));
  await expect.poll(laid, LONG).toBe(text);
  expect(errors).toEqual([]);
});

test.each([
  ['of four bytes', '🚨'],
  ['that JSON writes in six', '\u0001'],
])('characters %s fit into notices whole, however much comes at once', async (_what, character) => {
  const { append, finish } = writer();
  await append(`x${character.repeat(CHUNK_MAX_UNITS * 2)}`);
  const text = finish();
  await expect.poll(laid, LONG).toBe(text);
  for (const payload of heard) expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(NOTIFY_MAX_BYTES);
  expect(notices().every(({ d }) => d.isWellFormed())).toBe(true);
  expect(errors).toEqual([]);
});

test('joins split surrogate pairs and drops characters that cannot be stored', async () => {
  const { append, finish } = writer();
  for (const unit of ['a', '\ud83d', '\udea8', '\0', 'b', '\udea8', 'c', '\ud83d']) await append(unit);
  const text = finish();
  expect(text).toBe('a🚨b\ufffdc\ufffd');
  await expect.poll(laid, LONG).toBe(text);
});

test('saves the text regularly and publishes the saved length', async () => {
  const { append, finish } = writer();
  await append('hello');
  await expect.poll(() => notices().at(-1), LONG).toMatchObject({ o: 5, d: '', c: 5 });
  expect(await inDatabase()).toBe('hello');
  await append(' world');
  // A later save publishes its length too, perhaps before this test looks.
  await expect.poll(notices, LONG).toContainEqual(expect.objectContaining({ o: 5, d: ' world', c: 5 }));
  finish();
});

test('does not save a text after the run lost its session', async () => {
  const { append, finish } = writer();
  await sql.query('update alert_sessions set attempt = 2 where id = $1', [run.fence.sessionId]);
  await append('hello');
  await expect.poll(() => done, LONG).toContainEqual(expect.stringContaining('update timeline_events'));
  finish();
  expect(await inDatabase()).toBe('');
  expect(notices().every(({ c }) => c === 0)).toBe(true);
});

test('continues after a failed publication or save', async () => {
  const { append, finish } = writer();
  failing = 2;
  await append('hello');
  await expect.poll(() => errors, LONG).toHaveLength(1);
  await append(' world');
  expect(finish()).toBe('hello world');
  await expect.poll(() => notices(), LONG).toMatchObject([{ o: 5, d: ' world' }]);
});

test('publishes at most one piece each 16 ms, the first and one after a pause at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const pieces: string[] = [];
  const publisher: Pick<Publisher, 'publish'> = {
    publish: async ([notice]) => void pieces.push((JSON.parse(notice!.payload) as Notice).d),
  };
  const { append, finish } = createGrowingText({
    ...{ publisher, sessionId: run.fence.sessionId, timelineEventId: id },
    save: () => new Promise(() => {}),
    onError: (error) => void errors.push(error),
  });
  for (let n = 0; n < 200; n += 1) {
    await append('x');
    if (n === 0) expect(pieces).toEqual(['x']);
    await vi.advanceTimersByTimeAsync(5);
  }
  expect(pieces.length).toBeLessThanOrEqual(1000 / PIECE_MS + 1);
  expect(pieces.length).toBeGreaterThan((1000 / PIECE_MS) * 0.7);
  expect(new Set(pieces.slice(1))).toEqual(new Set(['xxxx'])); // with the piece that arrives, without a timer
  await vi.advanceTimersByTimeAsync(3 * PIECE_MS);
  expect(pieces.at(-1)).toBe('xxx'); // although no piece followed
  await append('y');
  expect(pieces.at(-1)).toBe('y');
  await append('z');
  expect(finish()).toBe(`${'x'.repeat(200)}yz`);
  expect(pieces.join('')).toBe(`${'x'.repeat(200)}yz`);
});
