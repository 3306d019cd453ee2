import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertSession } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { beginRun } from '../../../test/helpers/run-log.ts';
import type { Queryable } from '../../db/queryable.ts';
import { beginRunWait, endRunWait, IN_QUEUE, parkUnbegun, WAIT_REASON, withRunWait } from './waits.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const SOON = new Date('2100-01-01');
const LONG_AGO = new Date('2000-01-01');
const WAIT = { reason: 'MODEL_UNAVAILABLE', cause: 'model/p', message: 'Away.', until: null } as const;

async function stateOf(id: string) {
  const columns = `${WAIT_REASON} as reason, (${IN_QUEUE}) as "isInQueue", wait ->> 'cause' as cause`;
  return (await pool.query(`select ${columns} from alert_sessions t where id = $1`, [id])).rows[0];
}

test.each([
  [{ status: 'PENDING' }, 'SLOT', true],
  [{ status: 'PENDING', run_at: LONG_AGO }, 'SLOT', true],
  [{ status: 'PENDING', run_at: SOON }, 'GROUP_WAIT', false],
  [{ status: 'PENDING', run_at: SOON, attempt: 1 }, 'SLOT', true], // its worker was lost
  [{ status: 'PENDING', dispatched_at: LONG_AGO }, 'SLOT', false],
  [{ status: 'PENDING', wait: JSON.stringify(WAIT) }, 'MODEL_UNAVAILABLE', false],
  [{ status: 'WAITING_FOR_APPROVAL' }, 'APPROVAL', false],
  [{ status: 'IN_PROGRESS', lease_expires_at: LONG_AGO }, 'DEPENDENCY', false],
  [{ status: 'IN_PROGRESS', lease_expires_at: SOON }, null, false],
  [{ status: 'COMPLETED', wait: JSON.stringify(WAIT) }, null, false],
])('a session of %j waits for %s, and may get a slot: %s', async (session, reason, isInQueue) => {
  expect(await stateOf(await insertSession(pool, session))).toMatchObject({ reason, isInQueue });
});

test('a run keeps its first wait until the cause of that wait is gone', async () => {
  const { fence } = await beginRun(pool);
  const cause = async () => (await stateOf(fence.sessionId)).cause;
  await beginRunWait(pool, fence, WAIT);
  await beginRunWait(pool, fence, { ...WAIT, reason: 'TOOLS', cause: 'tools/e' });
  expect(await cause()).toBe('model/p');
  await endRunWait(pool, fence, 'tools/e');
  expect(await cause()).toBe('model/p');
  await endRunWait(pool, fence, 'model/p');
  expect(await cause()).toBeNull();
});

test('a session that a responder let run now is not parked', async () => {
  const dispatched = { status: 'PENDING', dispatched_at: new Date() };
  const budget = { ...WAIT, reason: 'BUDGET', cause: 'daily/' } as const;
  expect(await parkUnbegun(pool, await insertSession(pool, dispatched), budget)).not.toBeNull();
  const urgent = await insertSession(pool, { ...dispatched, run_now_at: new Date() });
  expect(await parkUnbegun(pool, urgent, budget)).toBeNull();
});

test('a wait whose record is still being written when the work ends is over afterwards', async () => {
  const { fence } = await beginRun(pool);
  const [begins, mayBegin] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const statements: string[] = [];
  const db: Queryable = {
    async query(statement, values) {
      statements.push(typeof statement === 'string' ? statement : statement.text);
      if (statements.length === 1) {
        begins.resolve();
        await mayBegin.promise;
      }
      return pool.query(statement as string, values) as never;
    },
  };
  const wait = { reason: 'TOOLS', cause: 'tools/a', message: 'A waits.', until: null } as const;
  const done = withRunWait({ db, fence }, { wait, afterMs: 0 }, () => begins.promise.then(() => 'done'));
  await begins.promise;
  await nextTurn();
  expect(statements).toHaveLength(1); // the end is not written before the beginning
  mayBegin.resolve();
  expect(await done).toBe('done');
  expect(statements).toHaveLength(2);
  const { rows } = await pool.query('select wait from alert_sessions where id = $1', [fence.sessionId]);
  expect(rows).toEqual([{ wait: null }]);
});
