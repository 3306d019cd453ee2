import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../test/helpers/http-api.ts';
import { insertInvestigation } from '../../../test/helpers/investigation.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { CANARY_SOURCE } from './alert.ts';
import { readCanaries, recordArrival, recordFailure, recordOutcomes } from './store.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 22) + seconds * 1000);

test("the arrival of a rule's canary ends its problem, and that of the own canary only its outcome does", async () => {
  const own = { source: CANARY_SOURCE, rule: '' };
  await recordFailure(pool, CANARY_SOURCE, 'not accepted');
  const sessionId = await insertSession(pool);
  await recordArrival(pool, { ...own, at: at(0), sessionId });
  expect(await readCanaries(pool)).toMatchObject([{ ...own, error: 'not accepted', arrivedAt: at(0) }]);
  await recordArrival(pool, { ...own, at: at(1), sessionId: null });
  expect(await readCanaries(pool)).toMatchObject([{ ...own, error: null, arrivedAt: at(1) }]);
});

test('only a canary that succeeds hides the earlier sessions of its group', async () => {
  const groupId = await insertRow(pool, 'alert_groups', {
    ...{
      source: CANARY_SOURCE,
      group_key: 'canary',
      title: 't',
      severity: 'INFO',
      state: 'FIRING',
      alert_type: 'x',
    },
    ...{ opened_at: at(0), last_received_at: at(0) },
  });
  /** Stores a session of the group with a tool call that succeeded, as that of the own canary. */
  const session = async (status: string, completed: number) => {
    const row = { group_id: groupId, status, started_at: at(completed - 5), completed_at: at(completed) };
    const { session: sessionId } = await insertInvestigation(pool, 'canary', row);
    await recordArrival(pool, { source: CANARY_SOURCE, rule: '', at: at(completed - 10), sessionId });
    return sessionId;
  };
  const hidden = async () =>
    (await pool.query('select id from alert_sessions where deleted_at is not null')).rows.map(({ id }) => id);
  const first = await session('COMPLETED', 20);
  await session('FAILED', 40);
  await recordOutcomes(pool);
  const [failed] = await readCanaries(pool);
  expect(failed).toMatchObject({ error: 'The investigation ended as FAILED.', sessionId: null });
  expect(await hidden()).toEqual([]);
  await session('COMPLETED', 60);
  await recordOutcomes(pool);
  const [succeeded] = await readCanaries(pool);
  expect(succeeded).toMatchObject({ error: null, completedAt: at(60), durationMs: 10_000 });
  expect(await hidden()).toEqual([first]);
});
