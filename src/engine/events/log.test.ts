import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { beginRun, logOf, type RunLog } from '../../../test/helpers/run-log.ts';
import type { Queryable } from '../../db/queryable.ts';
import { type Announcer, announcing, openAnnouncer } from './announcer.ts';
import { CHANNELS, decodeRow, writeLogged, writeSessionLogged } from './log.ts';

const LONG = { timeout: 20_000, interval: 10 };

let database: TestDatabase;
let sql: pg.Pool;
let listener: pg.Client;
let announcer: Announcer;
let db: Queryable;
let heard: string[];
let run: RunLog;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = new pg.Pool({ connectionString: database.url, max: 4 });
  announcer = openAnnouncer(database.url, pino({ level: 'silent' }));
  db = announcing(sql, announcer);
  listener = new pg.Client({ connectionString: database.url });
  await listener.connect();
  await listener.query(`listen ${CHANNELS.event}`);
  listener.on('notification', ({ payload }) => void heard.push(payload ?? ''));
});
afterAll(async () => {
  await listener.end();
  await announcer.close();
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  heard = [];
  run = await beginRun(sql, db);
  await hears(); // what the test before announced
});

/** Everything that was announced before has been heard. */
async function hears(): Promise<string[]> {
  await announcer.announce([{ channel: CHANNELS.event, payload: 'end' }]);
  await expect.poll(() => heard, LONG).toContain('end');
  return heard.splice(0).filter((payload) => payload !== 'end');
}

async function stored(): Promise<{ last: number; log: { seq: number; type: string; payload: object }[] }> {
  const { sessionId } = run.fence;
  const session = await sql.query('select last_event_seq as last from alert_sessions where id = $1', [
    sessionId,
  ]);
  const log = await sql.query(
    'select seq, type, payload from session_events where session_id = $1 order by seq',
    [sessionId],
  );
  return { last: session.rows[0].last, log: log.rows };
}

const authored = (guard: string, author: string) => ({
  sessionId: run.fence.sessionId,
  guard,
  assign: 'author = $2',
  values: [author],
});

test('writers side by side number their events without a gap, in the order in which they commit', async () => {
  await Promise.all(Array.from({ length: 20 }, () => run.write(1)));
  const { last, log } = await stored();
  expect(last).toBe(20);
  const numbers = Array.from({ length: 20 }, (_, n) => n + 1);
  expect(log.map(({ seq }) => seq)).toEqual(numbers);
  expect(log.map(({ payload }) => (payload as { sequence_number: number }).sequence_number)).toEqual(numbers);
  expect(await hears()).toEqual(numbers.map((seq) => `${run.fence.sessionId}:${seq}:TimelineEventCreated`));
});

test('who waits for another writer numbers on from what that one wrote', async () => {
  const client = await sql.connect();
  await client.query('begin');
  await logOf(run.fence, client).write(1);
  const waits = run.write(1);
  const blocked = () =>
    listener.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
  await expect.poll(async () => (await blocked()).rowCount, LONG).toBe(1);
  await client.query('commit');
  client.release();
  await waits;
  const { log } = await stored();
  expect(log).toMatchObject([
    { seq: 1, payload: { sequence_number: 1 } },
    { seq: 2, payload: { sequence_number: 2 } },
  ]);
});

test('who is no longer the run writes nothing, and announces nothing', async () => {
  await sql.query('update alert_sessions set attempt = 2 where id = $1', [run.fence.sessionId]);
  await expect(run.write(1)).rejects.toMatchObject({ code: 'LEASE_LOST' });
  expect(await writeSessionLogged(db, authored('s.attempt = 1', 'old'))).toBeNull();
  expect(await stored()).toEqual({ last: 0, log: [] });
  expect(await hears()).toEqual([]);
});

test('a change that finds nothing to change is no event', async () => {
  const id = await run.open();
  expect(await run.complete(id, 'done')).toMatchObject({ content: 'done' });
  expect(await run.complete(id, 'again')).toBeNull();
  expect((await stored()).log.map(({ type }) => type)).toEqual([
    'TimelineEventCreated',
    'TimelineEventCompleted',
  ]);
});

test('a change that fails leaves nothing', async () => {
  const write = writeLogged(sql, {
    sessionId: run.fence.sessionId,
    guard: 'true',
    type: 'TimelineEventCreated',
    change: `insert into timeline_events (id, session_id, sequence_number, type, status)
      select gen_random_uuid(), l.id, 1, 'NO_SUCH_TYPE', $2 from locked l returning *`,
    values: ['COMPLETED'],
  });
  await expect(write).rejects.toMatchObject({ code: '23514' });
  expect(await stored()).toEqual({ last: 0, log: [] });
});

test('the row and its event are the same, and hold no alert text', async () => {
  const row = await writeSessionLogged<Record<string, unknown>>(sql, authored('true', 'somebody'));
  const { log } = await stored();
  expect(row).toMatchObject({ author: 'somebody', lastEventSeq: 1, createdAt: expect.any(Date) });
  expect(row).not.toHaveProperty('alertData');
  expect(decodeRow(log[0]!.payload as Record<string, unknown>)).toEqual(row);
});
