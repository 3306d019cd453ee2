import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { beginRun, type RunLog } from '../../../test/helpers/run-log.ts';
import { CHANNELS } from '../live/event-log.ts';
import type { Notice } from '../live/notices.ts';
import { withPublishing } from '../live/publisher.ts';
import { type Journal, openJournal } from './journal.ts';
import { addTimelineEvent, saveTimelineText } from './timeline.ts';

const LONG = { timeout: 20_000, interval: 10 };
const PLACE = { stageId: null, executionId: null };

let database: TestDatabase;
let sql: pg.Pool;
let run: RunLog;
let journal: Journal;
/** The published notices, in order, and the log. */
let told: Notice[];
let log: string[];
beforeAll(async () => {
  database = await createTestDatabase();
  sql = new pg.Pool({ connectionString: database.url, max: 4 });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }); // a growing text is saved when the test says so
  told = [];
  log = [];
  run = await beginRun(sql);
  const publisher = { publish: async (more: readonly Notice[]) => void told.push(...more) };
  const logger = pino({ level: 'debug' }, { write: (line: string) => void log.push(JSON.parse(line).msg) });
  journal = openJournal({ db: withPublishing(sql, publisher), publisher, fence: run.fence, logger }, PLACE);
});

afterEach(() => void vi.useRealTimers());

/** Lets the time pass until growing texts are saved. */
const passTime = () => vi.advanceTimersByTimeAsync(1_000);
const said = (content: string) =>
  addTimelineEvent(PLACE, { type: 'LLM_RESPONSE', status: 'COMPLETED', content });
async function timeline(): Promise<[content: string, status: string][]> {
  const { rows } = await sql.query<{ content: string; status: string }>(
    'select content, status from timeline_events where session_id = $1 order by sequence_number',
    [run.fence.sessionId],
  );
  return rows.map(({ content, status }) => [content, status]);
}
/** Lets another run claim the session. */
const takeAway = () =>
  sql.query('update alert_sessions set attempt = 2 where id = $1', [run.fence.sessionId]);

test('stores noted changes with the next write, in order', async () => {
  journal.note(said('one'), said('two'));
  expect(await timeline()).toEqual([]);
  await journal.write(said('three'));
  expect(await timeline()).toEqual(['one', 'two', 'three'].map((content) => [content, 'COMPLETED']));
});

test('concurrent writes wait for each other and each is stored when it resolves', async () => {
  const texts = Array.from({ length: 10 }, (_, n) => `${n}`);
  await Promise.all(
    texts.map(async (text) => {
      await journal.write(said(text));
      expect(await timeline()).toContainEqual([text, 'COMPLETED']);
    }),
  );
  expect((await timeline()).map(([content]) => content)).toEqual(texts);
});

test('stores an event before publishing its first piece, and its whole text at its end', async () => {
  const item = journal.openTimelineEvent('LLM_RESPONSE');
  await item.append('hel');
  expect(await timeline()).toEqual([['', 'STREAMING']]);
  expect(told.map(({ channel }) => channel)).toEqual([CHANNELS.event, CHANNELS.chunk]);
  await passTime();
  await expect.poll(timeline, LONG).toEqual([['hel', 'STREAMING']]); // saved regularly
  await item.append('lo');
  expect(await item.close({ status: 'COMPLETED' })).toBe('hello');
  await journal.write();
  expect(await timeline()).toEqual([['hello', 'COMPLETED']]);
});

test('drains noted changes after the running write, without storing them', async () => {
  const item = journal.openTimelineEvent('LLM_RESPONSE');
  await item.append('hal');
  const other = await sql.connect();
  await other.query('begin');
  await other.query('select 1 from alert_sessions where id = $1 for update', [run.fence.sessionId]);
  void journal.write(saveTimelineText(item.id, 'hal'));
  await Promise.resolve(); // the write has started
  const order: string[] = [];
  const taken = journal.drain().then((changes) => {
    order.push('taken');
    return changes;
  });
  await item.close({ status: 'COMPLETED', content: 'half' });
  await timeline();
  order.push('free');
  await other.query('commit');
  other.release();
  expect(await taken).toMatchObject([{ row: { id: item.id, content: 'half' } }]);
  expect(order).toEqual(['free', 'taken']);
  await journal.write();
  expect(await timeline()).toEqual([['hal', 'STREAMING']]);
});

test('knows the sequence number of an event once it is stored', async () => {
  const [one, other] = [
    journal.openTimelineEvent('LLM_TOOL_CALL'),
    journal.openTimelineEvent('LLM_TOOL_CALL'),
  ];
  expect([one.sequenceNumber, other.sequenceNumber]).toEqual([undefined, undefined]);
  await journal.write(said('third'));
  expect([one.sequenceNumber, other.sequenceNumber]).toEqual([1, 2]);
  const last = journal.openTimelineEvent('LLM_RESPONSE');
  await last.append('fourth');
  expect(last.sequenceNumber).toBe(4);
});

test('writes and saves nothing after the run lost its session', async () => {
  const item = journal.openTimelineEvent('LLM_RESPONSE');
  await item.append('mine');
  await takeAway();
  await passTime();
  await expect.poll(() => log, LONG).toEqual(['growing text not saved']);
  await expect(journal.write(said('late'))).rejects.toMatchObject({ code: 'LEASE_LOST' });
  expect(await timeline()).toEqual([['', 'STREAMING']]);
  await item.close({ status: 'COMPLETED' });
  await expect(journal.write()).rejects.toMatchObject({ code: 'LEASE_LOST' });
  expect(await timeline()).toEqual([['', 'STREAMING']]);
});
