import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FreezingProxy, openFreezingProxy } from '../../test/helpers/freezing-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { openPool } from './pool.ts';

let database: TestDatabase;
let proxy: FreezingProxy;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  proxy = await openFreezingProxy(database.url);
});
afterEach(() => proxy.close());

const ONE = 'select 1 as one';

/** Repeats the query until a connection opens in time, which a busy machine may prevent. */
const untilConnected = (pool: pg.Pool) =>
  expect.poll(async () => (await pool.query(ONE)).rows).toEqual([{ one: 1 }]);

test('closes a connection whose server is silent', async () => {
  const quick = openPool(proxy.url, {
    application: 'test',
    logger: pino({ level: 'silent' }),
    statementTimeoutMs: 200,
    silenceGraceMs: 50,
    max: 1,
  });
  await untilConnected(quick);
  await proxy.set('dead');
  await expect(quick.query(ONE)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  await proxy.set('pass');
  await untilConnected(quick); // over a new connection
  await quick.end();
});

test('the server ends a statement that takes too long', async () => {
  const quick = openPool(proxy.url, {
    application: 'test',
    logger: pino({ level: 'silent' }),
    statementTimeoutMs: 200,
    silenceGraceMs: 30_000,
    max: 1,
  });
  await untilConnected(quick);
  await expect(quick.query('select pg_sleep(10)')).rejects.toMatchObject({ code: '57014' });
  await quick.end();
});
