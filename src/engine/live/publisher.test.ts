import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openFreezingProxy } from '../../../test/helpers/freezing-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import type { Queryable } from '../../db/queryable.ts';
import { CHANNELS } from './event-log.ts';
import type { Notice } from './notices.ts';
import { createPublisher, openPublisher, PUBLISH_TIMEOUT_MS, withPublishing } from './publisher.ts';

const LONG = { timeout: 20_000, interval: 10 };
const logger = pino({ level: 'silent' });

let database: TestDatabase;
let sql: pg.Pool;
let listener: pg.Client;
let heard: string[];
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
beforeEach(() => {
  heard = [];
});

const chunk = (payload: string): Notice => ({ channel: CHANNELS.chunk, payload });

/** Creates a database whose statements wait for `go`. The first `failing` statements fail. */
function slowDatabase(failing = 0) {
  const statements: string[][] = [];
  const gate = Promise.withResolvers<void>();
  const db: Queryable = {
    async query(statement, values) {
      statements.push(values?.[1] as string[]);
      await gate.promise;
      if (statements.length <= failing) throw new Error('the database is away');
      return sql.query(statement as never, values) as never;
    },
  };
  return { db, statements, go: gate.resolve };
}

test('sends the notices that wait during a batch together, in order', async () => {
  const { db, statements, go } = slowDatabase();
  const publisher = createPublisher(db, logger);
  const first = publisher.publish([chunk('a')]);
  const rest = ['b', 'c', 'd'].map((payload) => publisher.publish([chunk(payload)]));
  go();
  await Promise.all([first, ...rest]);
  expect(statements).toEqual([['a'], ['b', 'c', 'd']]);
  await expect.poll(() => heard, LONG).toEqual(['a', 'b', 'c', 'd']);
});

test('drops the waiting notices if there would be too many, and sends the newest', async () => {
  const { db, statements, go } = slowDatabase();
  const publisher = createPublisher(db, logger);
  const all = [publisher.publish([chunk('first')])];
  all.push(publisher.publish(Array.from({ length: 10_000 }, () => chunk('old'))));
  all.push(publisher.publish([chunk('new')]));
  go();
  await Promise.all(all);
  expect(statements).toEqual([['first'], ['new']]);
});

test('drops a failed batch and continues with the next one', async () => {
  const { db, go } = slowDatabase(1);
  const publisher = createPublisher(db, logger);
  const lost = publisher.publish([chunk('lost')]);
  go();
  await lost;
  await publisher.publish([chunk('next')]);
  await expect.poll(() => heard, LONG).toContain('next');
  expect(heard).not.toContain('lost');
});

test('a caller waits only for its own notices, however many others come', async () => {
  const { db, go } = slowDatabase();
  const publisher = createPublisher(db, logger);
  go();
  let busy = true;
  const others = (async () => {
    while (busy) await publisher.publish([chunk('other')]);
  })();
  const both = (async () => {
    while (busy) await publisher.publish([chunk('another')]);
  })();
  await publisher.publish([chunk('mine')]);
  busy = false;
  await Promise.all([others, both]);
  await expect.poll(() => heard, LONG).toContain('mine');
});

test('sends the waiting notices on close', async () => {
  const publisher = openPublisher(database.url, logger);
  void publisher.publish([chunk('last 1')]);
  void publisher.publish([chunk('last 2')]);
  await publisher.close();
  const last = () => heard.filter((payload) => payload.startsWith('last'));
  await expect.poll(last, LONG).toEqual(['last 1', 'last 2']);
});

test('loses only the notices on a frozen connection', { timeout: 60_000 }, async () => {
  const proxy = await openFreezingProxy(database.url);
  const publisher = openPublisher(proxy.url, logger);
  await publisher.publish([chunk('before')]);
  await proxy.set('dead');
  const lost = publisher.publish([chunk('lost')]);
  const waiting = publisher.publish([chunk('waited')]);
  await lost;
  const lostAt = performance.now();
  await proxy.set('pass');
  await waiting;
  // The pause is short, because a frozen connection does not mean a busy database. A busy one causes four times the wait.
  expect(performance.now() - lostAt).toBeLessThan(3 * PUBLISH_TIMEOUT_MS);
  await publisher.publish([chunk('after')]);
  await expect.poll(() => heard, LONG).toEqual(['before', 'waited', 'after']);
  await publisher.close();
  await proxy.close();
});

test('passes a text of several statements through unchanged', async () => {
  const told: Notice[] = [];
  const db = withPublishing(sql, { publish: async (more) => void told.push(...more) });
  const answers = (await db.query('select 1 as one; select 2 as two')) as unknown as { rows: object[] }[];
  expect(answers.map(({ rows }) => rows)).toEqual([[{ one: 1 }], [{ two: 2 }]]);
  expect(told).toEqual([]);
});
