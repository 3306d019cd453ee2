import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { insertSession } from '../../../test/helpers/http-api.ts';
import { openObserver } from '../../../test/helpers/observer.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { createTransaction } from '../store/database.ts';
import { releaseSession } from '../store/sessions.ts';
import { createReachability, recoverSessions } from './recover.ts';

/** A publisher that drops every notice. */
const UNHEARD = { publish: async () => {} };

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
});
afterEach(() => pool.query('delete from alert_sessions'));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const LOST = { status: 'IN_PROGRESS', worker_id: 'w', lease_expires_at: new Date(Date.now() - 60_000) };

async function recovered(session: Record<string, unknown>) {
  const id = await insertSession(pool, { ...LOST, ...session });
  await recoverSessions({
    db: pool,
    transaction: createTransaction(pool, UNHEARD),
    dispatch: async () => {},
    offerSlot: async () => {},
    notifySlack: async () => {},
    observer: await openObserver(pool),
    maxAttempts: 3,
    logger: pino({ level: 'silent' }),
  });
  const { rows } = await pool.query(
    'select status, workers_lost as lost, error_message as error from alert_sessions where id = $1',
    [id],
  );
  return rows[0];
}

test('requeues a session whose worker is lost, and counts the loss', async () => {
  expect(await recovered({ attempt: 1 })).toEqual({ status: 'PENDING', lost: 1, error: null });
});

test('does not count starts, because workers that shut down release their sessions', async () => {
  expect(await recovered({ attempt: 40, workers_lost: 1 })).toMatchObject({ status: 'PENDING', lost: 2 });
});

test('fails a session that lost too many workers, and says how many', async () => {
  expect(await recovered({ attempt: 3, workers_lost: 2 })).toMatchObject({
    status: 'FAILED',
    error: expect.stringContaining('lost 3 times'),
  });
});

test('ends a session as cancelled whose worker was lost while it was being cancelled', async () => {
  expect(await recovered({ status: 'CANCELLING', attempt: 1 })).toMatchObject({ status: 'CANCELLED' });
});

test('does not count a released session as lost', async () => {
  const id = await insertSession(pool, { ...LOST, attempt: 4 });
  expect(await releaseSession(pool, { sessionId: id, attempt: 4 })).toMatchObject({
    status: 'PENDING',
    workersLost: 0,
  });
});

test('gives workers time to renew their leases after a database outage', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const reachability = createReachability(40);
  expect(reachability.isSteady).toBe(true);
  reachability.lost();
  expect(reachability.isSteady).toBe(false);
  reachability.reached();
  vi.advanceTimersByTime(40);
  expect(reachability.isSteady).toBe(false);
  vi.advanceTimersByTime(1);
  expect(reachability.isSteady).toBe(true);
});
