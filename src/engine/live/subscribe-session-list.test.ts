import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FreezingProxy, openFreezingProxy } from '../../../test/helpers/freezing-proxy.ts';
import { insertSession } from '../../../test/helpers/http-api.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import { type Bus, openBus } from './bus.ts';
import { createSessionListSubscriptions, type SessionListSubscriptions } from './subscribe-session-list.ts';

const LONG = { timeout: 20_000, interval: 10 };
const TIMING = { probeMs: 60_000, deadlineMs: 60_000 };
const HOUR_AGO = new Date(Date.now() - 3_600_000);
const logger = pino({ level: 'silent' });

let database: TestDatabase;
let sql: pg.Pool;
let proxy: FreezingProxy;
let bus: Bus;
let lists: SessionListSubscriptions;
let unlisten: () => void;
/** The published sessions, the number of statements, and how many more statements fail. */
let told: SessionSnapshot[];
let statements: number;
let failing: number;
let db: Queryable;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = new pg.Pool({ connectionString: database.url, max: 3 });
  proxy = await openFreezingProxy(database.url);
  bus = await openBus(proxy.url, logger, TIMING);
});
afterAll(async () => {
  await bus.close();
  await proxy.close();
  await sql.end();
  await database.drop();
});

beforeEach(async () => {
  await sql.query('delete from alert_sessions');
  told = [];
  statements = 0;
  failing = 0;
  db = {
    query(statement, values) {
      statements += 1;
      if (failing-- > 0) return Promise.reject(new Error('the database is away'));
      return sql.query(statement as string, values) as never;
    },
  };
  follow(3_600_000);
});
afterEach(() => lists.close());

/** @param pollMs the time between polls (ms) */
function follow(pollMs: number): void {
  lists = createSessionListSubscriptions({ db, bus, pollMs, logger });
  unlisten = lists.subscribeSessions().listen((session) => void told.push(session));
}

const waiting = (row: object = {}) => insertSession(sql, { created_at: HOUR_AGO, ...row });
const announce = (id: string, type = 'SessionStatusChanged') =>
  sql.query('select pg_notify($1, $2)', ['tarsy_event', `${id}:1:${type}`]);
const ids = () => told.map(({ id }) => id);
const isTold = (id: string) => expect.poll(ids, LONG).toContain(id);

/** Does the work while no notice can arrive. */
async function missing(work: () => Promise<void>): Promise<void> {
  const back = new Promise<void>((resolve) => bus.on('reconnected', () => resolve()));
  await proxy.set('refuse');
  await work();
  await proxy.set('pass');
  await back;
}

test('publishes a changed session without its alert text, and no change that lists do not show', async () => {
  const [quiet, loud] = [await waiting(), await waiting({ status: 'IN_PROGRESS' })];
  await announce(quiet, 'TimelineEventCreated');
  await announce(loud, 'StageStatusChanged');
  await isTold(loud);
  expect(told).toEqual([expect.objectContaining({ id: loud, status: 'IN_PROGRESS', createdAt: HOUR_AGO })]);
  expect(told[0]).not.toHaveProperty('alertData');
});

test('joins changes that arrive while a session is read', async () => {
  const [many, last] = [await waiting(), await waiting()];
  await sql.query(
    `select pg_notify('tarsy_event', $1 || ':' || n || ':SessionStatusChanged') from generate_series(1, 100) n`,
    [many],
  );
  await announce(last);
  await isTold(last);
  expect(statements).toBeLessThan(10);
});

test('publishes the changes of an outage, but no session that only waits', async () => {
  const at = { created_at: HOUR_AGO };
  await insertSession(sql, at);
  await insertSession(sql, { ...at, status: 'COMPLETED', completed_at: HOUR_AGO });
  const running = await insertSession(sql, { ...at, status: 'IN_PROGRESS', attempt: 1 });
  const ends = await insertSession(sql, { ...at, status: 'IN_PROGRESS', attempt: 1 });
  const cancelled = await insertSession(sql, at);
  const givenBack = await insertSession(sql, { ...at, status: 'IN_PROGRESS', attempt: 1 });
  const deleted = await insertSession(sql, { ...at, status: 'IN_PROGRESS', attempt: 1 });
  let created = '';
  await missing(async () => {
    await sql.query(
      `update alert_sessions set status = 'COMPLETED', completed_at = now() where id = any($1::uuid[])`,
      [[ends, cancelled]],
    );
    await sql.query(`update alert_sessions set status = 'PENDING' where id = $1`, [givenBack]);
    await sql.query('update alert_sessions set deleted_at = now() where id = $1', [deleted]);
    created = await insertSession(sql);
  });
  await isTold(created);
  expect(ids().toSorted()).toEqual([running, ends, cancelled, givenBack, created].toSorted());
});

test('reads the changes of a long outage in pages', async () => {
  let count = 0;
  await missing(async () => {
    const { rowCount } = await sql.query(
      `insert into alert_sessions (id, alert_type, alert_data, chain_id, author)
       select gen_random_uuid(), 'host', 'x', 'c', 'a' from generate_series(1, 450)`,
    );
    count = rowCount!;
  });
  await expect.poll(() => told.length, LONG).toBe(count);
  expect(new Set(ids()).size).toBe(count);
  expect(statements).toBe(1 + 3);
});

test('retries a failed read', async () => {
  failing = 2;
  const id = await waiting();
  await announce(id);
  await isTold(id);
  failing = 2;
  let created = '';
  await missing(async () => {
    created = await insertSession(sql);
  });
  await isTold(created);
});

test('does nothing for a listener that left', async () => {
  unlisten();
  await announce(await waiting());
  const heard: SessionSnapshot[] = [];
  const id = await waiting();
  const other = createSessionListSubscriptions({ db: sql, bus, logger });
  other.subscribeSessions().listen((session) => void heard.push(session));
  await announce(id);
  // Earlier notices may arrive too, because the bus is asynchronous.
  await expect.poll(() => heard.map((session) => session.id), LONG).toContain(id);
  other.close();
  expect(statements).toBe(0);
  expect(told).toEqual([]);
});

test('finds a change without a notice and publishes it once', async () => {
  const running = await waiting({ status: 'IN_PROGRESS' });
  lists.close();
  follow(20);
  const looked = async () => {
    const before = statements;
    await expect.poll(() => statements, LONG).toBeGreaterThan(before + 1);
  };
  await looked();
  expect(told).toEqual([]); // new listeners read the existing sessions themselves
  await sql.query(`update alert_sessions set attempt = 2 where id = $1`, [running]);
  const fresh = await insertSession(sql, {});
  await isTold(fresh);
  await isTold(running);
  await sql.query(`update alert_sessions set status = 'COMPLETED', completed_at = now() where id = $1`, [
    running,
  ]);
  await expect.poll(() => told.at(-1), LONG).toMatchObject({ id: running, status: 'COMPLETED' });
  await looked();
  expect(ids().toSorted()).toEqual([fresh, running, running].toSorted());
});

test('publishes a change that has its notice during the first poll once', async () => {
  lists.close();
  const id = await waiting({ status: 'IN_PROGRESS', attempt: 1 });
  const [read, isPublished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const direct = db;
  let polls = 0;
  db = {
    async query(statement, values) {
      const isPoll = typeof statement !== 'string' && statement.text.includes(' as state');
      const result = await direct.query(statement, values);
      if (isPoll) polls += 1;
      if (isPoll && polls === 1) {
        read.resolve();
        await isPublished.promise;
      }
      return result as never;
    },
  };
  follow(20);
  await read.promise;
  await sql.query('update alert_sessions set attempt = 2 where id = $1', [id]);
  await announce(id);
  await isTold(id);
  isPublished.resolve();
  await expect.poll(() => polls, LONG).toBeGreaterThan(3);
  expect(ids()).toEqual([id]);
});
