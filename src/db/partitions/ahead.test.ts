import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertSession } from '../../../test/helpers/http-api.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { idAt, type OlderProcess, openOlderProcess } from '../../../test/helpers/unpartitioned.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import { readLogEnd, readLogPage, readTimelineText } from '../../engine/live/event-log.ts';
import { writeRows } from '../../engine/store/event-statement.ts';
import { closeTimelineEvents } from '../../engine/store/open-work.ts';
import { readMessages, readStartedCalls, readToolResults } from '../../engine/store/progress.ts';
import { addTimelineEvent, endTimelineEvent } from '../../engine/store/timeline.ts';
import { migrateDatabase } from '../migrate.ts';
import { MONTHS_BEGAN } from '../migrations.ts';
import type { Queryable } from '../queryable.ts';
import { readPartitions } from './catalog.ts';
import { maintainPartitions } from './maintain.ts';
import { firstIdOf, monthStart, PARTITIONED_TABLES, partitionName } from './months.ts';

const logs: { msg: string; partition?: string }[] = [];
const logger = pino({ level: 'warn' }, { write: (line: string) => void logs.push(JSON.parse(line)) });
const now = new Date();
const inMonths = (offset: number) => monthStart(now, offset);

let database: TestDatabase;
let sql: pg.Pool;
let older: OlderProcess;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = new pg.Pool({ connectionString: database.url, max: 3 });
  older = await openOlderProcess(database.url);
});
afterAll(async () => {
  await older.close();
  await sql.end();
  await database.drop();
});

/** Returns the partitions that have rows of a session, without the name of their table. */
async function partitionsOf(sessionId: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (const table of PARTITIONED_TABLES) {
    const { rows } = await sql.query<{ name: string }>(
      `select distinct tableoid::regclass::text as name from ${table} where session_id = $1`,
      [sessionId],
    );
    for (const { name } of rows) found.add(name.slice(table.length + 1));
  }
  return found;
}

test('a new database has partitions for at least the next two months, without gaps', async () => {
  const fresh = await createTestDatabase(); // other tests create partitions of later months
  const db = new pg.Pool({ connectionString: fresh.url, max: 1 });
  try {
    const migrated = 'select executed_at as at from mikro_orm_migrations order by 1 desc limit 1';
    const { at } = (await db.query<{ at: Date }>(migrated)).rows[0]!; // in the month before, if one just began
    for (const table of PARTITIONED_TABLES) {
      const partitions = await readPartitions(db, table);
      expect(partitions[0]).toMatchObject({ name: `${table}_before`, from: null });
      for (const [index, { from }] of partitions.slice(1).entries()) expect(from).toBe(partitions[index]!.to);
      expect(partitions.at(-1)!.to >= firstIdOf(monthStart(at, 3))).toBe(true);
    }
  } finally {
    await db.end();
    await fresh.drop();
  }
});

test('a session keeps its partition when a new month begins', async () => {
  const session = await older.addSession();
  const next = await older.addSession(idAt(inMonths(3)));
  await maintainPartitions(database.url, { logger, now: inMonths(3) });
  await older.write(session);
  await older.write(next);
  expect(await partitionsOf(session)).toEqual(new Set(['before']));
  expect(await partitionsOf(next)).toEqual(new Set([partitionName('', inMonths(3)).slice(1)]));
});

test('versions without partitions refuse the database once a second partition gets rows', async () => {
  const recorded = async () =>
    (await sql.query('select 1 from mikro_orm_migrations where name = $1', [MONTHS_BEGAN])).rowCount;
  await sql.query('delete from mikro_orm_migrations where name = $1', [MONTHS_BEGAN]);
  await maintainPartitions(database.url, { logger, now });
  expect(await recorded()).toBe(0);
  for (const _ of [1, 2]) await maintainPartitions(database.url, { logger, now: inMonths(3) });
  expect(await recorded()).toBe(1);
  expect(MONTHS_BEGAN).not.toMatch(/_additive$/);
  expect(await migrateDatabase(database.url, { logger })).toEqual({ applied: [] });
});

test('rows without a partition are stored, and move to their partition once it is created', async () => {
  const month = inMonths(20);
  const session = await older.addSession(idAt(month));
  expect(await partitionsOf(session)).toEqual(new Set(['default']));
  await maintainPartitions(database.url, { logger, now: month });
  expect(await partitionsOf(session)).toEqual(new Set([partitionName('', month).slice(1)]));
  await older.write(session);
});

test('a month with too many rows in the default partition stays there, and others are created', async () => {
  const month = inMonths(40);
  const session = await older.addSession(idAt(month));
  await sql.query(
    `insert into session_events (session_id, seq, type, payload) select $1, n, 'TimelineEventCreated', '{}' from generate_series(2, 1100) n`,
    [session],
  );
  logs.length = 0;
  await maintainPartitions(database.url, { logger, now: month });
  expect(logs).toMatchObject([{ partition: partitionName('session_events', month) }]);
  expect(await partitionsOf(session)).toEqual(new Set(['default', partitionName('', month).slice(1)]));
  const names = (await readPartitions(sql, 'session_events')).map(({ name }) => name);
  expect(names).toContain(partitionName('session_events', inMonths(41)));
});

/** Returns the partitions that the last statement of `run` reads or changes, by the plan that workers use. */
async function planned(run: (db: Queryable) => Promise<unknown>): Promise<string[]> {
  let last: [string, unknown[]] = ['', []];
  const client = new pg.Client({
    connectionString: database.url,
    options: '-c plan_cache_mode=force_generic_plan',
  });
  await client.connect();
  const db: Queryable = {
    query(statement, values = []) {
      last = [typeof statement === 'string' ? statement : statement.text, values];
      return client.query(last[0], values);
    },
  };
  await run(db);
  const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(`explain (format json) ${last[0]}`, last[1]);
  await client.end();
  const names = JSON.stringify(rows[0]!['QUERY PLAN']).matchAll(/"Relation Name":"([^"]+)"/g);
  const tables = PARTITIONED_TABLES.map((table) => `${table}_`);
  return [...new Set([...names].map(([, name]) => name!))]
    .filter((name) => tables.some((table) => name.startsWith(table)))
    .sort();
}

test('the statements of a run read and change only the partition of their session', async () => {
  const sessionId = await insertSession(sql, {
    status: 'IN_PROGRESS',
    attempt: 1,
    lease_expires_at: new Date(Date.now() + 3_600_000),
  });
  const fence = { sessionId, attempt: 1 };
  const key = { sessionId, executionId: uuidv7() };
  const item = uuidv7();
  const event = { type: 'LLM_RESPONSE', status: 'STREAMING', content: '' } as const;
  const ids = { stageId: null, executionId: null };
  const calls = [{ id: 'a', name: 'b', arguments: '' }];
  const range = { afterSeq: 0, throughSeq: 9, rows: 5 };
  const plans = {
    add: await planned((db) => writeRows(db, fence, [addTimelineEvent(ids, event, item)])),
    end: await planned((db) =>
      writeRows(db, fence, [endTimelineEvent(item, { status: 'COMPLETED', content: '' })]),
    ),
    close: await planned((db) => writeRows(db, fence, [closeTimelineEvents('CANCELLED')])),
    page: await planned((db) => readLogPage(db, sessionId, range)),
    logEnd: await planned((db) => readLogEnd(db, sessionId)),
    text: await planned((db) => readTimelineText(db, sessionId, item)),
    messages: await planned((db) => readMessages(db, key)),
    results: await planned((db) => readToolResults(db, key, calls)),
    started: await planned((db) => readStartedCalls(db, key, calls)),
  };
  const events = ['timeline_events_before'];
  expect(plans).toEqual({
    add: [],
    end: events,
    close: events,
    page: ['session_events_before'],
    logEnd: events,
    text: events,
    messages: ['messages_before'],
    results: ['mcp_interactions_before', ...events],
    started: events,
  });
});
