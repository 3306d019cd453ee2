import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertSession } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import type { Headline } from '../api/engine.ts';
import {
  addSourceUpdate,
  markFiring,
  markResolved,
  readSourceUpdates,
  updatePendingAlert,
} from './source-updates.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const RUNNING = { status: 'IN_PROGRESS', attempt: 1, lease_expires_at: new Date('2100-01-01') };
const UPDATE = { type: 'ALERT_JOINED', content: 'One alert joined.', count: 1, onResolve: null } as const;
const add = (id: string, lines: readonly string[] = ['DiskFull']) =>
  addSourceUpdate(pool, id, { ...UPDATE, lines, count: lines.length });

test.each([
  [{ status: 'PENDING', attempt: 0 }, false],
  [{ status: 'PENDING', attempt: 1 }, true],
  [RUNNING, true],
  [{ status: 'COMPLETED', attempt: 1, completed_at: new Date('2026-01-01') }, false],
])('of %j an update is stored: %s', async (session, isStored) => {
  const id = await insertSession(pool, session);
  expect((await add(id)) !== null).toBe(isStored);
  expect(await readSourceUpdates(pool, id, 0)).toHaveLength(isStored ? 1 : 0);
});

test('keeps the first lines of an update, and the number of all', async () => {
  const id = await insertSession(pool, RUNNING);
  const lines = Array.from({ length: 25 }, (_, n) => `alert ${n}`);
  await add(id, lines);
  expect(await readSourceUpdates(pool, id, 0)).toMatchObject([{ lines: lines.slice(0, 20), count: 25 }]);
});

test('reads the updates after a number, or the last one if there are none', async () => {
  const id = await insertSession(pool, RUNNING);
  for (const name of ['a', 'b', 'c']) await add(id, [name]);
  const all = await readSourceUpdates(pool, id, 0);
  const after = async (number: number) =>
    (await readSourceUpdates(pool, id, number)).flatMap(({ lines }) => lines);
  expect(all).toHaveLength(3);
  expect(await after(all[0]!.sequenceNumber)).toEqual(['b', 'c']);
  expect(await after(all[2]!.sequenceNumber)).toEqual(['c']);
});

test('replaces the alert only until a worker has claimed its session, and never lengthens its wait', async () => {
  const waitOf = async (id: string) => {
    const wait = 'extract(epoch from run_at - created_at)::int as s';
    return (await pool.query(`select ${wait} from alert_sessions where id = $1`, [id])).rows[0].s;
  };
  const headline: Headline = { title: 'Two disks are full', severity: 'ERROR', entities: [] };
  const now = Date.now();
  const created = { created_at: new Date(now), run_at: new Date(now + 60_000) };
  const waiting = await insertSession(pool, { status: 'PENDING', attempt: 0, ...created });
  const update = (id: string, waitMs?: number) =>
    updatePendingAlert(pool, id, { data: 'both', headline, ...(waitMs && { waitMs }) });
  expect(await update(waiting, 3_600_000)).toBe(true);
  expect(await waitOf(waiting)).toBe(60);
  expect(await update(waiting, 40_000)).toBe(true);
  expect(await waitOf(waiting)).toBe(40);
  const requeued = await insertSession(pool, { status: 'PENDING', attempt: 1 });
  expect(await update(requeued)).toBe(false);
});

test('an ended session stays resolved, a running one fires again', async () => {
  for (const [session, isFiring] of [
    [RUNNING, true],
    [{ status: 'COMPLETED', attempt: 1, completed_at: new Date('2026-01-01') }, false],
  ] as const) {
    const id = await insertSession(pool, session);
    expect(await markFiring(pool, id)).toBeNull(); // not resolved yet
    expect(await markResolved(pool, id)).toMatchObject({ resolvedAt: expect.any(Date) });
    expect(await markResolved(pool, id)).toBeNull();
    expect((await markFiring(pool, id)) !== null).toBe(isFiring);
  }
});
