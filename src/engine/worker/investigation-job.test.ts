import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../test/helpers/http-api.ts';
import { insertInvestigation } from '../../../test/helpers/investigation.ts';
import { openObserver } from '../../../test/helpers/observer.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { createTransaction } from '../store/database.ts';
import { investigationJob } from './investigation-job.ts';
import type { JobDeps } from './lease-holder.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

/** Creates the job of a session, and notes the sessions that it counts as begun. */
async function jobOf(id: string) {
  const observer = await openObserver(pool);
  const began: string[] = [];
  const metrics = { ...observer.metrics, sessionBegan: (session: { id: string }) => began.push(session.id) };
  const config = {
    budgets: {},
    chains: {},
    queue: { leaseDurationMs: 60_000, maxAttempts: 3 },
    defaults: { memory: { enabled: false } },
  };
  const deps = {
    ...{ db: pool, heartbeats: pool, workerId: 'w', config, logger: pino({ level: 'silent' }) },
    transaction: createTransaction(pool, { publish: async () => {} }),
    observer: { ...observer, metrics },
    notifySlack: null,
    dispatch: async () => {},
    offerSlot: async () => {},
  } as unknown as JobDeps;
  return { job: investigationJob(deps, id), began };
}

const MINUTE = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE);
const dispatched = (more: Record<string, unknown> = {}) =>
  insertSession(pool, { status: 'PENDING', dispatched_at: new Date(), ...more });

test('the used time excludes waits, and a session begins once', async () => {
  const first = await dispatched();
  const { job, began } = await jobOf(first);
  expect(await job.claim()).toMatchObject({ fence: { attempt: 1 }, isReplay: false });
  expect(began).toEqual([first]);

  const times = { started_at: ago(90), last_interaction_at: ago(30), waited_ms: 20 * MINUTE };
  const resumed = await jobOf(await dispatched({ attempt: 1, ...times }));
  const claim = await resumed.job.claim();
  expect(Math.round(claim!.elapsedMs / MINUTE)).toBe(40);
  expect(resumed.began).toEqual([]);
});

test.each([
  ['FAILED', null, 'It broke.'],
  ['TIMED_OUT', expect.stringContaining('Stored tool results: 1'), 'It broke. 1 tool result is stored.'],
] as const)('a session that is %s keeps what is known', async (status, finalAnalysis, errorMessage) => {
  const { session, stage, execution } = await insertInvestigation(pool, 'disk', {
    ...{ status: 'PENDING', completed_at: null, dispatched_at: new Date() },
  });
  await pool.query('delete from timeline_events where session_id = $1', [session]);
  await insertRow(pool, 'timeline_events', {
    ...{ session_id: session, stage_id: stage, execution_id: execution, sequence_number: 50 },
    ...{ type: 'LLM_TOOL_CALL', status: 'COMPLETED', content: '91 %' },
    metadata: JSON.stringify({ server_name: 'host', tool_name: 'disk', tool_call_id: 'c' }),
  });
  const { job } = await jobOf(session);
  const claim = await job.claim();
  await job.end({ status, errorMessage: 'It broke.' }, claim!);
  const { rows } = await pool.query(
    'select status, final_analysis as "finalAnalysis", error_message as "errorMessage" from alert_sessions where id = $1',
    [session],
  );
  expect(rows).toEqual([{ status, finalAnalysis, errorMessage }]);
});
