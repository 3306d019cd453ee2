import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertSession } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { claimSession, releaseSession, renewLease, undispatch } from './sessions.ts';
import { parkRunning } from './waits.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const LEASE_MS = 60_000;
const MINUTE = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE);

async function waitedMinutes(id: string): Promise<number> {
  const { rows } = await pool.query('select waited_ms as ms from alert_sessions where id = $1', [id]);
  return Math.round(Number(rows[0].ms) / MINUTE);
}

test('counts time in the queue, parked or with a sleeping worker as waited', async () => {
  const id = await insertSession(pool, {
    ...{ status: 'PENDING', attempt: 1, started_at: ago(90), last_interaction_at: ago(30) },
    dispatched_at: new Date(),
  });
  const claim = () => claimSession(pool, id, { workerId: 'w', leaseMs: LEASE_MS });
  const change = (columns: string) => pool.query(`update alert_sessions set ${columns} where id = $1`, [id]);
  expect(await claim()).toMatchObject({ attempt: 2 });
  expect(await waitedMinutes(id)).toBe(30);
  const fence = { sessionId: id, attempt: 2 };
  expect(await renewLease(pool, fence, LEASE_MS)).toEqual({ cancel: false, conclude: false });
  expect(await waitedMinutes(id)).toBe(30); // its lease has not expired, so this is working time

  await change(`lease_expires_at = now() - interval '20 min'`);
  expect(await renewLease(pool, fence, LEASE_MS)).toEqual({ cancel: false, conclude: false });
  expect(await waitedMinutes(id)).toBe(50);

  await releaseSession(pool, fence);
  await change(`dispatched_at = now(), parked_at = now() - interval '10 min'`); // decisions came in the meantime
  expect(await claim()).toMatchObject({ attempt: 3 });
  expect(await waitedMinutes(id)).toBe(60);
});

test('restarts the time limit after a wait for a budget', async () => {
  const id = await insertSession(pool, {
    ...{
      status: 'IN_PROGRESS',
      attempt: 1,
      started_at: ago(90),
      last_interaction_at: ago(30),
      waited_ms: 5 * MINUTE,
    },
    ...{ worker_id: 'w', lease_expires_at: ago(-1) },
  });
  await parkRunning(
    pool,
    { sessionId: id, attempt: 1 },
    { reason: 'BUDGET', cause: 'daily/', message: 'The budget daily is used up.', until: null },
  );
  await pool.query('update alert_sessions set dispatched_at = now(), wait = null where id = $1', [id]);
  const claimed = await claimSession(pool, id, { workerId: 'w', leaseMs: LEASE_MS });
  expect(claimed!.startedAt!.getTime()).toBeGreaterThan(ago(1).getTime());
  expect(await waitedMinutes(id)).toBe(0);
});

test('releases the slot of a session that waits, not that of a session that another worker runs', async () => {
  const dispatched = { dispatched_at: new Date() };
  const waiting = await insertSession(pool, { status: 'PENDING', ...dispatched });
  const running = await insertSession(pool, { status: 'IN_PROGRESS', attempt: 1, ...dispatched });
  for (const id of [waiting, running]) await undispatch(pool, id);
  const { rows } = await pool.query(
    'select id from alert_sessions where id = any($1) and dispatched_at is not null',
    [[waiting, running]],
  );
  expect(rows).toEqual([{ id: running }]);
});
