import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type FreezingProxy, openFreezingProxy } from '../../../test/helpers/freezing-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { openPool } from '../../db/pool.ts';
import {
  DatabaseUnavailableError,
  LeaseLostError,
  type RunInterruptedError,
} from '../common/interruptions.ts';
import { leasedDatabase } from './database.ts';

let database: TestDatabase;
let proxy: FreezingProxy;
let pool: pg.Pool;
let direct: pg.Pool;
let closed: AbortController;
let broken: RunInterruptedError[];
beforeAll(async () => {
  database = await createTestDatabase();
  direct = new pg.Pool({ connectionString: database.url, max: 1 });
});
afterAll(async () => {
  await direct.end();
  await database.drop();
});
beforeEach(async () => {
  proxy = await openFreezingProxy(database.url);
  pool = openPool(proxy.url, { application: 'test', logger: pino({ level: 'silent' }) });
  closed = new AbortController();
  broken = [];
});
afterEach(async () => {
  await proxy.close();
  await pool.end();
});

const held = () => leasedDatabase(pool, closed.signal, (reason) => broken.push(reason));
const ONE = 'select 1 as one';
const SLEEPING = `select 1 from pg_stat_activity where query = 'select pg_sleep(30)' and datname = current_database()`;

test.each([
  ['no server listens', 'refuse'],
  ['the server takes no more clients', { reject: '53300' }],
  ['it starts up', { reject: '57P03' }],
] as const)('repeats a statement that had no effect: %s', async (_, mode) => {
  await proxy.set(mode);
  const query = vi.spyOn(pool, 'query');
  const answer = held().query<{ one: number }>(ONE);
  await expect.poll(() => query.mock.results.length).toBeGreaterThan(1); // the first was refused
  await proxy.set('pass');
  expect((await answer).rows).toEqual([{ one: 1 }]);
  expect(broken).toEqual([]);
});

test('retries a failed DNS lookup', async () => {
  const lost = new pg.Pool({ connectionString: 'postgres://tarsy@no-such-host.invalid/tarsy' });
  let attempts = 0;
  const both = {
    query: (...args: Parameters<pg.Pool['query']>) => (++attempts < 3 ? lost : pool).query(...args),
  };
  const db = leasedDatabase(both as never, closed.signal, (reason) => broken.push(reason));
  expect((await db.query(ONE)).rows).toEqual([{ one: 1 }]);
  expect([attempts, broken]).toEqual([3, []]);
  await lost.end();
});

test('interrupts the run if the effect of a statement is unknown', async () => {
  const answer = held().query('select pg_sleep(30)');
  answer.catch(() => {});
  await expect.poll(async () => (await direct.query(SLEEPING)).rows).toHaveLength(1);
  await proxy.set('cut');
  await expect(answer).rejects.toBeInstanceOf(DatabaseUnavailableError);
  expect(broken).toEqual([expect.any(DatabaseUnavailableError)]);
});

test('stops waiting for an answer once the lease is lost', async () => {
  const db = held();
  await db.query(ONE);
  await proxy.set('dead');
  const answer = db.query(ONE);
  closed.abort(new LeaseLostError('s'));
  await expect(answer).rejects.toBeInstanceOf(LeaseLostError);
  await expect(db.query(ONE)).rejects.toBeInstanceOf(LeaseLostError);
});

test('passes errors of a statement on', async () => {
  await expect(held().query('select nothing from nowhere')).rejects.toMatchObject({ code: '42P01' });
  expect(broken).toEqual([]);
});
