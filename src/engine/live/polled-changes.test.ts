import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openFreezingProxy } from '../../../test/helpers/freezing-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import type { Queryable } from '../../db/queryable.ts';
import { createPolledChanges, type PolledChanges } from './polled-changes.ts';

interface Thing {
  id: number;
  times: number;
}

const THINGS = {
  topic: 'things',
  everyMs: 20,
  changed: `select id, times as version from things
    where at > now() - make_interval(secs => $1) order by at, id`,
  rows: 'select to_jsonb(t) as row from things t where id = any($1::int[]) order by at, id',
};

let database: TestDatabase;
let proxy: Awaited<ReturnType<typeof openFreezingProxy>>;
let admin: pg.Pool;
let pool: pg.Pool;
let changes: PolledChanges<Thing>;
const stops: (() => void)[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await openFreezingProxy(database.url);
  admin = new pg.Pool({ connectionString: database.url, max: 1 });
  await admin.query('create table things (id int primary key, times int not null, at timestamptz not null)');
  await change(1, 100);
  pool = new pg.Pool({ connectionString: proxy.url, max: 1 });
  pool.on('error', () => undefined); // the network is cut on purpose
  changes = open();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  changes.close();
  await Promise.all([pool.end(), admin.end()]);
  await proxy.close();
  await database.drop();
});

const open = (marginS?: number) =>
  createPolledChanges<Thing>(
    { db: pool, logger: pino({ level: 'silent' }), ...(marginS && { marginS }) },
    THINGS,
  );

const change = (first: number, last: number) =>
  admin.query(
    `insert into things select n, 1, now() from generate_series($1::int, $2) n
     on conflict (id) do update set times = things.times + 1, at = now()`,
    [first, last],
  );

/** Subscribes. Returns the growing list of published rows, as `id:version@position`. */
function listener(): string[] {
  const told: string[] = [];
  stops.push(
    changes.subscribe().listen(({ id, times }, place) => {
      told.push(`${id}:${times}@${place}`);
    }),
  );
  return told;
}

/**
 * Waits until changes are published, by changing row 0 repeatedly. Asserts that no earlier row was published.
 */
async function looked(told: string[]): Promise<void> {
  await expect
    .poll(async () => {
      await change(0, 0);
      return told.length;
    }, WAIT)
    .toBeGreaterThan(0);
  expect(ids(told)).toEqual([]);
}

const WAIT = { timeout: 30_000 };
/** Returns the ids of published rows, without row 0, which `looked` changes. */
const ids = (told: readonly string[]) => told.map((each) => Number.parseInt(each, 10)).filter((id) => id > 0);

test('publishes each change once to all listeners, and no earlier one', async () => {
  const [first, second] = [listener(), listener()];
  await looked(first);
  await change(7, 9);
  await change(7, 7);
  await expect.poll(() => first.some((each) => each.startsWith('7:3@')), WAIT).toBe(true);
  await expect.poll(() => ids(first).filter((id) => id > 7), WAIT).toEqual([8, 9]);
  const mark = first.at(-1)!;
  await expect.poll(() => second, WAIT).toContain(mark);
  await change(200, 200);
  await expect.poll(() => ids(first).includes(200), WAIT).toBe(true);
  expect(ids(first).filter((id) => id > 7)).toEqual([8, 9, 200]);
  expect(ids(second)).toEqual(ids(first));
});

test('publishes all changes when there are more than one poll takes', async () => {
  const told = listener();
  await looked(told);
  await change(1000, 1999);
  await expect.poll(() => new Set(ids(told)).size, WAIT).toBe(1000);
  await change(1, 1);
  await expect.poll(() => ids(told).at(-1), WAIT).toBe(1);
  expect(ids(told)).toHaveLength(1001);
});

test('publishes the changes of an outage once the database is back', async () => {
  const told = listener();
  await looked(told);
  await proxy.set('refuse');
  await change(5, 6);
  await expect(pool.query('select 1')).rejects.toThrow();
  await proxy.set('pass');
  await expect.poll(() => ids(told), WAIT).toEqual([5, 6]);
});

test('publishes every change of a long outage', async () => {
  changes = open(2);
  const told = listener();
  await looked(told);
  await proxy.set('refuse');
  await change(5, 500);
  await expect(pool.query('select 1')).rejects.toThrow();
  const isOld = "select at < now() - interval '4 seconds' as old from things where id = 5";
  await expect.poll(async () => (await admin.query(isOld)).rows, WAIT).toEqual([{ old: true }]);
  await proxy.set('pass');
  await expect.poll(() => ids(told).length, WAIT).toBe(496);
  expect(new Set(ids(told)).size).toBe(496);
  await change(7, 7);
  await expect.poll(() => ids(told).slice(496), WAIT).toEqual([7]);
});

test('polls again after the answer only, and gives its first item to a subscriber after the first poll', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const answer = Promise.withResolvers<object>();
  let polls = 0;
  const query = () => {
    polls += 1;
    return answer.promise;
  };
  const deps = { db: { query } as unknown as Queryable, logger: pino({ level: 'silent' }) };
  const slow = createPolledChanges<Thing>(deps, THINGS, { id: 0, times: 0 });
  stops.push(slow.subscribe().listen(() => {}));
  const items: unknown[] = [];
  const replayed = slow.subscribe().replay(new AbortController().signal).next();
  void replayed.then(({ value }) => items.push(value));
  vi.advanceTimersByTime(10 * THINGS.everyMs);
  await nextTurn();
  expect([polls, items]).toEqual([1, []]);
  answer.resolve({ rows: [] });
  await replayed;
  expect(items).toEqual([{ id: 0, times: 0 }]);
  vi.advanceTimersByTime(THINGS.everyMs);
  expect(polls).toBe(2);
});
