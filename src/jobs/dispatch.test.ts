import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { insertSession } from '../../test/helpers/http-api.ts';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { uuidv7 } from '../common/uuidv7.ts';
import type { Severity } from '../db/enums.ts';
import type { Queryable } from '../db/queryable.ts';
import { createTransaction } from '../engine/store/database.ts';
import { cancelPending, insertSession as storeSession } from '../engine/store/sessions.ts';
import { createDispatch, createOfferSlot, dispatchDue, renewStaleJobs } from './dispatch.ts';

const HEADLINE = { title: 'Alert', severity: 'INFO' as Severity, entities: [] };
const SESSION = {
  ...{ alertType: 'host', alertData: 'Alert', chainId: 'host-chain', author: 'ana' },
  ...{ runbookUrl: null, mcpSelection: null, slackMessageFingerprint: null },
};

/** A notification bus without subscribers. */
const UNHEARD = { publish: async () => {} };

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 20 });
});
afterEach(() => pool.query('delete from alert_sessions'));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Creates functions with a state of their own, as in another process. */
function slots(maxConcurrentSessions: number) {
  const dispatch = createDispatch({ maxConcurrentSessions });
  return { dispatch, offer: createOfferSlot({ db: pool, maxConcurrentSessions }) };
}

async function dispatched(): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from alert_sessions where dispatched_at is not null order by created_at, id',
  );
  return rows.map(({ id }) => id);
}

test('a session that arrives while a slot is released is not missed', async () => {
  const { dispatch, offer } = slots(1);
  const first = await insertSession(pool, { status: 'PENDING' });
  await offer();
  expect(await dispatched()).toEqual([first]);

  const ending = await pool.connect();
  await ending.query('begin');
  await ending.query(`update alert_sessions set status = 'COMPLETED', dispatched_at = null`);
  await dispatch(ending as never); // sees no waiting session, and is not committed yet
  const second = await insertSession(pool, { status: 'PENDING' });
  const offered = offer();
  await untilSomebodyWaitsForALock();
  await ending.query('commit');
  ending.release();
  await offered;
  expect(await dispatched()).toEqual([second]);
});

test('gives exactly the free slots, to the longest-waiting sessions, with any number of callers', async () => {
  const processes = [slots(5), slots(5), slots(5)];
  const ids: string[] = [];
  for (let n = 0; n < 30; n += 1) ids.push(await insertSession(pool, { status: 'PENDING' }));
  await Promise.all(ids.map((_, n) => processes[n % 3]!.offer()));
  expect(await dispatched()).toEqual(ids.slice(0, 5));
  const { rows } = await pool.query('select count(*)::int as jobs from graphile_worker.jobs');
  expect(rows[0].jobs).toBeGreaterThanOrEqual(5);
});

test('gives slots to the most severe sessions first, but lets none wait for an hour behind newer ones', async () => {
  const transaction = createTransaction(pool, UNHEARD);
  const add = (severity: Severity) =>
    transaction((tx) => storeSession(tx, { ...SESSION, id: uuidv7(), headline: { ...HEADLINE, severity } }));
  const ids: Record<string, string> = {};
  for (const severity of ['INFO', 'UNKNOWN', 'ERROR', 'WARNING', 'CRITICAL'] as const)
    ids[severity] = (await add(severity)).id;
  const old = (await add('INFO')).id;
  await pool.query(`update alert_sessions set queue_at = queue_at - interval '61 minutes' where id = $1`, [
    old,
  ]);
  const order = [
    old,
    ...['CRITICAL', 'ERROR', 'UNKNOWN', 'WARNING', 'INFO'].map((severity) => ids[severity]),
  ];
  for (let held = 1; held <= order.length; held += 1) {
    await transaction(createDispatch({ maxConcurrentSessions: held }));
    expect(new Set(await dispatched())).toEqual(new Set(order.slice(0, held)));
  }
  const { rows } = await pool.query<{ id: string }>(
    `select payload->>'sessionId' as id from graphile_worker._private_jobs order by run_at, id`,
  );
  expect(rows.map(({ id }) => id).filter((id) => order.includes(id))).toEqual(order);
});

test('lets workers fetch the jobs of several slots in the order of the queue', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 20; n += 1)
    ids.push(await insertSession(pool, { status: 'PENDING', queue_at: new Date(Date.now() - n * 60_000) }));
  await createTransaction(pool, UNHEARD)(createDispatch({ maxConcurrentSessions: 20 }));
  const { rows } = await pool.query<{ id: string }>(
    `select payload->>'sessionId' as id from graphile_worker._private_jobs order by priority, run_at, id`,
  );
  expect(rows.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual(ids.toReversed());
});

test('gives no slot to a parked session', async () => {
  const wait = { reason: 'BUDGET', cause: 'daily/', message: 'Used up.', until: null };
  await insertSession(pool, { status: 'PENDING', wait: JSON.stringify(wait) });
  await slots(1).offer();
  expect(await dispatched()).toEqual([]);
});

test('a failed check does not stop later ones', async () => {
  let fails = true;
  const db = {
    query: (...statement: [string, unknown[]]) =>
      fails ? Promise.reject(new Error('away')) : pool.query(...statement),
  } as unknown as pg.Pool;
  const offer = createOfferSlot({ db, maxConcurrentSessions: 1 });
  const id = await insertSession(pool, { status: 'PENDING' });
  await expect(offer()).rejects.toThrow('away');
  fails = false;
  await offer();
  expect(await dispatched()).toEqual([id]);
});

test('callers share the check after the pause that follows one without a free slot', async () => {
  let checks = 0;
  const db = {
    query: (...statement: [string, unknown[]]) => {
      checks += 1;
      return pool.query(...statement);
    },
  } as unknown as pg.Pool;
  const offer = createOfferSlot({ db, maxConcurrentSessions: 0 });
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0); // the pause has its full length
  try {
    await offer();
    const first = offer();
    for (let turn = 0; turn < 10; turn += 1) await null; // begins the pause, whose timer runs later
    await Promise.all([first, offer()]);
    expect(checks).toBe(2);
  } finally {
    clock.mockRestore();
  }
});

test('cancelling a waiting session and giving slots do not wait for each other', async () => {
  const [first, second] = [
    await insertSession(pool, { status: 'PENDING' }),
    await insertSession(pool, { status: 'PENDING' }),
  ];
  const { dispatch } = slots(1);
  await createTransaction(
    pool,
    UNHEARD,
  )(async (cancelling) => {
    expect(await cancelPending(cancelling, first)).toMatchObject({ status: 'CANCELLED' });
    // The cancelling transaction holds the row. Dispatch must skip that row, because the holder then needs dispatch's
    // lock.
    await createTransaction(pool, UNHEARD)(dispatch);
    await dispatch(cancelling);
  });
  expect(await dispatched()).toEqual([second]);
});

test('a session whose job was lost gets another, one with a fresh job does not', async () => {
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
  const lost = await insertSession(pool, { status: 'PENDING', dispatched_at: ago(120) });
  await insertSession(pool, { status: 'PENDING', dispatched_at: ago(1) });
  await insertSession(pool, { status: 'IN_PROGRESS', dispatched_at: ago(120) });
  await pool.query('delete from graphile_worker._private_jobs');
  await renewStaleJobs(pool);
  const { rows } = await pool.query<{ key: string }>('select key from graphile_worker.jobs');
  expect(rows).toEqual([{ key: `run-session:${lost}` }]);
});

async function untilSomebodyWaitsForALock(): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      `select 1 from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    );
    if (rows.length > 0) return;
  }
}

test('a session that waits for more alerts gets its slot when the wait ends, not earlier', async () => {
  const transaction = createTransaction(pool, UNHEARD);
  let dispatches = 0;
  const dispatch = (tx: Queryable) => {
    dispatches += 1;
    return createDispatch({ maxConcurrentSessions: 5 })(tx);
  };
  const due = () => dispatchDue({ db: pool, transaction, dispatch });
  const [now, later] = [
    await insertSession(pool, { status: 'PENDING' }),
    await insertSession(pool, { status: 'PENDING' }),
  ];
  await pool.query(`update alert_sessions set run_at = now() + interval '1 hour'`);
  await due();
  // A session that has waited for a slot for long causes no dispatch each round.
  await pool.query(`update alert_sessions set run_at = now() - interval '1 hour' where id = $1`, [now]);
  await due();
  expect(dispatches).toBe(0);
  expect(await dispatched()).toEqual([]);
  // A run_at in the past, because the column rounds to milliseconds and could round the current time up.
  await pool.query(`update alert_sessions set run_at = now() - interval '1 second' where id = $1`, [now]);
  await due();
  expect(await dispatched()).toEqual([now]);
  expect(later).not.toBe(now);
});
