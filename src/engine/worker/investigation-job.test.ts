import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../test/helpers/http-api.ts';
import { insertInvestigation } from '../../../test/helpers/investigation.ts';
import { openObserver } from '../../../test/helpers/observer.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { HandedOverError } from '../common/interruptions.ts';
import { createTransaction } from '../store/database.ts';
import { investigationJob } from './investigation-job.ts';
import type { JobDeps } from './lease-holder.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

/** Creates the job of a session, and notes the sessions that it counts as begun, and its other effects. */
async function jobOf(id: string) {
  const observer = await openObserver(pool);
  const began: string[] = [];
  const log: string[] = [];
  const note = (what: string) => async () => void log.push(what);
  const metrics = {
    ...observer.metrics,
    sessionBegan: (session: { id: string }) => began.push(session.id),
    sessionEnded: note('counted'),
  };
  const config = {
    budgets: {},
    chains: { scored: { scoring: { enabled: true } } },
    queue: { leaseDurationMs: 60_000, maxAttempts: 3 },
    defaults: { memory: { enabled: true, learnFrom: 'completed' } },
  };
  const deps = {
    ...{ db: pool, heartbeats: pool, workerId: 'w', config, logger: pino({ level: 'silent' }) },
    transaction: createTransaction(pool, { publish: async () => {} }),
    observer: { ...observer, metrics },
    notifySlack: null,
    ...{ dispatch: note('slot given away'), offerSlot: note('slot offered') },
    ...{ enqueueScore: note('scored'), enqueueLearning: note('learnt from') },
  } as unknown as JobDeps;
  return { job: investigationJob(deps, id), began, log };
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

const statusOf = async (id: string) =>
  (await pool.query('select status from alert_sessions where id = $1', [id])).rows[0].status as string;

test('a completed investigation is counted, scored and learnt from, but a replay is not', async () => {
  const [own, replayed] = [
    await dispatched({ chain_id: 'scored' }),
    await dispatched({ chain_id: 'scored' }),
  ];
  const caseId = await insertRow(pool, 'cases', {
    ...{ name: 'n', document: '""', hash: 'h', alert_type: 'test', world: 'OPEN', max_unrecorded_calls: 5 },
    ...{ recorded_calls: 0, created_by: 'me', expectation: '{}' },
  });
  const by = { provider: 'p', model: 'm', config_hash: 'h', created_by: 'me' };
  await insertRow(pool, 'replays', { case_id: caseId, session_id: replayed, ...by });
  const outcome = { status: 'COMPLETED', finalAnalysis: 'It is full.', errorMessage: null } as const;
  const effects = ['counted', 'slot offered', 'scored', 'learnt from'];
  for (const [id, expected] of [
    [own, effects],
    [replayed, ['slot offered']],
  ] as const) {
    const { job, log } = await jobOf(id);
    await job.end(outcome, (await job.claim())!);
    expect(await statusOf(id)).toBe('COMPLETED');
    expect(log).toEqual(expected);
  }
  const { rows } = await pool.query('select session_id as id from scores');
  expect(rows).toEqual([{ id: own }]);
});

test('a released session returns to the queue and gives its slot away, but a cancelled one ends', async () => {
  const [released, cancelled] = [await dispatched(), await dispatched()];
  const first = await jobOf(released);
  await first.job.release((await first.job.claim())!, new HandedOverError());
  expect([await statusOf(released), first.log]).toEqual(['PENDING', ['slot given away']]);

  const second = await jobOf(cancelled);
  const claim = (await second.job.claim())!;
  await pool.query(`update alert_sessions set status = 'CANCELLING' where id = $1`, [cancelled]);
  await second.job.release(claim, new HandedOverError());
  expect([await statusOf(cancelled), second.log]).toEqual(['CANCELLED', ['counted', 'slot offered']]);
});

test('a job that arrives during the shutdown gives its slot away', async () => {
  const id = await dispatched();
  const { job, log } = await jobOf(id);
  await job.requeue();
  expect(log).toEqual(['slot given away']);
  expect(await job.claim()).toBeNull(); // no slot is left
});
