import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { claimScore, endScore, releaseScore, renewScore, type ScoreResult } from './scores.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const LEASE_MS = 60_000;
const claim = (id: string) => claimScore(pool, id, LEASE_MS);
const expire = (id: string) =>
  pool.query(`update scores set lease_expires_at = now() - interval '1 second' where id = $1`, [id]);
const RESULT: ScoreResult = {
  ...{ total: 72, dimensions: null, failureTags: [], analysis: 'Sound.', toolReport: null },
  ...{ modelName: 'm', promptHash: 'h', errorMessage: null },
};
async function stored(id: string) {
  const sql = `select status, total, lease_expires_at is not null as "isHeld", completed_at is not null as "hasEnded"
    from scores where id = $1`;
  return (await pool.query(sql, [id])).rows[0];
}

/** Inserts a score that waits for a worker. */
async function asked(session: Record<string, unknown> = {}): Promise<string> {
  const id = await insertSession(pool, { status: 'COMPLETED', ...session });
  return insertRow(pool, 'scores', { session_id: id, requested_by: 'ana' });
}

test('a score is claimed by one worker at a time, and counts the workers that it lost', async () => {
  const id = await asked();
  expect(await claim(id)).toMatchObject({ fence: { attempt: 1 }, score: { workersLost: 0 } });
  expect(await claim(id)).toBeNull();
  await expire(id);
  expect(await claim(id)).toMatchObject({ fence: { attempt: 2 }, score: { workersLost: 1 } });
  expect(await claim(await asked({ deleted_at: new Date() }))).toBeNull();
});

test('a worker that lost its score neither renews nor ends it', async () => {
  const id = await asked();
  const { fence: old } = (await claim(id))!;
  await expire(id);
  const { fence } = (await claim(id))!;
  expect(await renewScore(pool, old, LEASE_MS)).toBeNull();
  await endScore(pool, old, 'COMPLETED', RESULT);
  expect(await stored(id)).toEqual({ status: 'IN_PROGRESS', total: null, isHeld: true, hasEnded: false });
  expect(await renewScore(pool, fence, LEASE_MS)).toEqual({ cancel: false });
  await endScore(pool, fence, 'COMPLETED', RESULT);
  expect(await stored(id)).toEqual({ status: 'COMPLETED', total: 72, isHeld: false, hasEnded: true });
});

test('a released score waits again, and counts no lost worker', async () => {
  const id = await asked();
  await releaseScore(pool, (await claim(id))!.fence);
  expect(await stored(id)).toEqual({ status: 'PENDING', total: null, isHeld: false, hasEnded: false });
  expect(await claim(id)).toMatchObject({ fence: { attempt: 2 }, score: { workersLost: 0 } });
});
