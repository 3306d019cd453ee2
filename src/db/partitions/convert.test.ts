import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import {
  idAt,
  makeUnpartitioned,
  type OlderProcess,
  openOlderProcess,
} from '../../../test/helpers/unpartitioned.ts';
import { openMigrator } from '../migrator.ts';
import { readPartitions } from './catalog.ts';
import { type ConversionStep, nextStep, UnknownMonthError } from './convert.ts';
import { maintainPartitions } from './maintain.ts';
import { firstIdOf, monthStart, PARTITIONED_TABLES } from './months.ts';

const logger = pino({ level: 'silent' });
const STEPS = ['create index', 'limit', 'validate', 'swap'];

let database: TestDatabase;
let sql: pg.Pool;
let older: OlderProcess;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await sql?.end();
  await older?.close();
  await makeUnpartitioned(database.url);
  sql = new pg.Pool({ connectionString: database.url, max: 3 });
  older = await openOlderProcess(database.url);
});
afterAll(async () => {
  await sql.end();
  await older.close();
  await database.drop();
});

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => {}); // its backend is terminated by a test
  await client.connect();
  return client;
}

async function rowsOf(sessionId: string): Promise<number[]> {
  const count = async (table: string) =>
    (await sql.query(`select 1 from ${table} where session_id = $1`, [sessionId])).rowCount ?? 0;
  return Promise.all(PARTITIONED_TABLES.map(count));
}

/** Runs the steps of a table one by one. @returns their names */
async function convert(table: string, before: (step: ConversionStep) => Promise<void>): Promise<string[]> {
  const client = await connected();
  const names: string[] = [];
  try {
    for (
      let step = await nextStep(client, table, new Date());
      step;
      step = await nextStep(client, table, new Date())
    ) {
      await before(step);
      names.push(step.name);
      await client.query(step.sql);
    }
    return names;
  } finally {
    await client.end();
  }
}

test('converts tables without copying rows, while processes of the older version write before and after each step', async () => {
  const session = await older.addSession();
  const before = await sql.query(`select pg_relation_filenode('messages') as file`);
  let writes = 1;
  for (const table of PARTITIONED_TABLES) {
    const names = await convert(table, async () => {
      await older.write(session);
      writes += 1;
    });
    expect(names).toEqual(table === 'session_events' ? STEPS.slice(1) : expect.arrayContaining(STEPS));
  }
  await older.write(session);
  expect(await rowsOf(session)).toEqual(PARTITIONED_TABLES.map(() => writes + 1));
  expect((await sql.query(`select pg_relation_filenode('messages_before') as file`)).rows).toEqual(
    before.rows,
  );

  const orm = await openMigrator(database.url);
  expect(await orm.schema.getUpdateSchemaSQL({ wrap: false })).toBe('');
  await orm.close(true);
});

test('a whole conversion disturbs no process that writes meanwhile', async () => {
  const sessions = await Promise.all([older.addSession(), older.addSession()]);
  let going = true;
  const writing = (async () => {
    const other = await openOlderProcess(database.url);
    let rounds = 1;
    for (; going; rounds += 1) await other.write(sessions[0]!);
    await other.close();
    return rounds;
  })();
  await maintainPartitions(database.url, { logger });
  for (const table of PARTITIONED_TABLES)
    expect((await readPartitions(sql, table)).length).toBeGreaterThan(2);
  await older.write(sessions[1]!);
  going = false;
  const rounds = await writing;
  expect(await rowsOf(sessions[0]!)).toEqual(PARTITIONED_TABLES.map(() => rounds));
  expect(await rowsOf(sessions[1]!)).toEqual([2, 2, 2, 2, 2]);
});

/** Locks with which another connection keeps a step waiting. */
const BLOCKERS = {
  'drop index': 'share update exclusive',
  'create index': 'row exclusive',
  limit: 'row exclusive',
  validate: 'share update exclusive',
  swap: 'access share',
};

/** Returns the backend of a connection. */
async function backendOf(client: pg.Client): Promise<number> {
  return (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;
}

/** Kills the connection that runs a step while it waits for a lock. */
async function killDuring({ name, sql: text }: ConversionStep): Promise<void> {
  const [victim, blocker] = [await connected(), await connected()];
  await blocker.query(`begin; lock table messages in ${BLOCKERS[name]} mode`);
  const pid = await backendOf(victim);
  const running = victim.query(text).then(
    () => 'completed',
    (error: { code?: string }) => error.code,
  );
  const isWaiting = async () =>
    (await sql.query(`select 1 from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`, [pid]))
      .rowCount;
  await expect.poll(isWaiting, { timeout: 20_000 }).toBe(1);
  await sql.query('select pg_terminate_backend($1)', [pid]);
  expect(await running).toBe('57P01');
  await blocker.end();
}

test('resumes with the step during which its connection was killed', async () => {
  const session = await older.addSession();
  const killed = new Set<string>();
  for (let step = await nextStep(sql, 'messages', new Date()); step; ) {
    if (killed.has(step.name)) await sql.query(step.sql);
    else await killDuring(step);
    killed.add(step.name);
    await older.write(session);
    step = await nextStep(sql, 'messages', new Date());
  }
  expect([...killed]).toEqual(['create index', 'drop index', ...STEPS.slice(1)]);
  expect(await readPartitions(sql, 'messages')).toMatchObject([{ name: 'messages_before' }]);
});

test('changes nothing if it is killed before the swap commits', async () => {
  const session = await older.addSession();
  const victim = await connected();
  await convert('messages', async (step) => {
    if (step.name !== 'swap') return;
    await victim.query(`begin; ${step.sql}`);
    await sql.query('select pg_terminate_backend($1)', [await backendOf(victim)]);
    await older.write(session);
  });
  await older.write(session);
  expect((await rowsOf(session))[PARTITIONED_TABLES.indexOf('messages')]).toBe(3);
});

test('interrupts a step when its process stops, and resumes later', async () => {
  const session = await older.addSession();
  const blocker = await connected();
  await blocker.query('begin; lock table messages in row exclusive mode');
  const stopping = new AbortController();
  const stopped = maintainPartitions(database.url, { logger, signal: stopping.signal });
  const building = async () =>
    (await sql.query(`select 1 from pg_stat_progress_create_index where relid = 'messages'::regclass`))
      .rowCount;
  await expect.poll(building, { timeout: 20_000 }).toBe(1);
  stopping.abort();
  await stopped;
  await blocker.end();
  await older.write(session);
  await maintainPartitions(database.url, { logger });
  expect((await readPartitions(sql, 'mcp_interactions'))[0]!.name).toBe('mcp_interactions_before');
  await older.write(session);
});

test('renews a bound that is too close, as after a long interruption', async () => {
  const monthAgo = monthStart(new Date(), -1);
  const step = (await nextStep(sql, 'session_events', monthAgo))!;
  expect(step).toMatchObject({
    name: 'limit',
    sql: expect.stringContaining(firstIdOf(monthStart(new Date(), 1))),
  });
  await sql.query(step.sql);
  const nearEnd = new Date(monthStart(new Date(), 1).getTime() - 86_400_000);
  expect(await nextStep(sql, 'session_events', nearEnd)).toMatchObject({ name: 'limit' });
});

test('puts the bound after the newest session, and refuses ids of the far future', async () => {
  const later = monthStart(new Date(), 5);
  await older.addSession(idAt(later));
  const step = await nextStep(sql, 'session_events', new Date());
  expect(step!.sql).toContain(firstIdOf(monthStart(later, 1)));
  await older.addSession('f0000000-0000-4000-8000-000000000000');
  await expect(nextStep(sql, 'session_events', new Date())).rejects.toThrow(UnknownMonthError);
  await expect(maintainPartitions(database.url, { logger })).rejects.toThrow(/Correct the clocks/);
});

test('keeps the rights of other roles', async () => {
  const role = `reader_${process.pid}`;
  await sql.query(
    `create role ${role}; grant select on messages to ${role}; grant select on llm_interactions to public`,
  );
  await maintainPartitions(database.url, { logger });
  const { rows } = await sql.query(
    `select has_table_privilege($1, 'messages', 'select') as own, has_table_privilege($1, 'messages', 'insert') as more,
       has_table_privilege($1, 'llm_interactions', 'select') as public`,
    [role],
  );
  await sql.query(`drop owned by ${role}; drop role ${role}`);
  expect(rows).toEqual([{ own: true, more: false, public: true }]);
});

test('at a start, converts empty tables and leaves others to a worker', async () => {
  await older.addSession();
  await sql.query('delete from llm_interactions');
  await maintainPartitions(database.url, { logger, onlyEmpty: true });
  const { rows } = await sql.query(`select relname from pg_class where relkind = 'p' and relname = any($1)`, [
    PARTITIONED_TABLES,
  ]);
  expect(rows).toEqual([{ relname: 'llm_interactions' }]);
});
