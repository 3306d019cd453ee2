import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../test/helpers/app.ts';
import {
  alertBody,
  emptyIntake,
  endSession,
  intakeConfig,
  openTestPool,
  sendDelivery,
} from '../../test/helpers/deliveries.ts';
import { coveredNames } from './locked-group.ts';

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  // Runs without a worker, so that only the test changes sessions.
  const rules = [
    { name: 'quiet', match: ['severity="info"'], investigate: 'never' },
    { name: 'beat', match: ['beat="yes"'], canary: true },
  ];
  app = await startTestApp({
    role: 'api',
    intake: intakeConfig({ rules, storm: { groups: 20, within: '5m', wait: '0s' } }),
    queue: { max_concurrent_sessions: 1 },
  });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyIntake(pool));

const fire = (more: Record<string, unknown> = {}) => sendDelivery(app.url, alertBody(more));
const over = (more: Record<string, unknown> = {}) => fire({ state: 'resolved', ...more });
const rows = async (sql: string, values: unknown[] = []) =>
  (await pool.query(sql, values)).rows as Record<string, unknown>[];
const begin = (session: string) =>
  pool.query(
    `update alert_sessions set status = 'IN_PROGRESS', attempt = 1, started_at = now() where id = $1`,
    [session],
  );
const silence = () =>
  pool.query(`insert into silences (id, matchers, comment, created_by, starts_at, ends_at) values
    (gen_random_uuid(), array['host="db-03"'], 'known', 'ana', now() - interval '1 hour', now() + interval '1 hour')`);

it('covers the worst severity it has seen, although the worst alert was resolved before its end', async () => {
  const { session } = await fire();
  await begin(session!);
  expect((await fire({ fingerprint: 'cpu', title: 'CPU', severity: 'warning' })).outcome).toBe('JOINED');
  expect((await over()).outcome).toBe('JOINED');
  await endSession(pool, session!);
  expect((await fire()).outcome).toBe('RECENTLY_INVESTIGATED');
});

it('does not cover an alert that fires while it ends', async () => {
  const { session } = await fire();
  await begin(session!);
  const ending = await pool.connect();
  await ending.query('begin');
  await ending.query(`update alert_sessions set status = 'COMPLETED', completed_at = now() where id = $1`, [
    session,
  ]);
  const cpu = { fingerprint: 'cpu', title: 'CPU' };
  const fired = fire(cpu);
  await expect.poll(async () => (await rows(WAITING_FOR_ROW)).length, { timeout: 20_000 }).toBeGreaterThan(0);
  await ending.query('commit');
  ending.release();
  expect(await fired).toMatchObject({ outcome: 'JOINED', session });
  const again = await fire(cpu);
  expect(again.outcome).toBe('INVESTIGATED');
  expect(again.body.decisions![0]!.reason).toContain('New critical alert: CPU');
});

/** Selects the intake's transactions that wait for another to end. */
const WAITING_FOR_ROW = `select 1 from pg_stat_activity where datname = current_database()
  and application_name = 'tarsy-api-intake' and wait_event_type = 'Lock' and wait_event = 'transactionid'`;

it('is not notified of a later episode that a silence covers', async () => {
  const { session } = await fire();
  await begin(session!);
  await over();
  await silence();
  expect((await fire()).outcome).toBe('SILENCED');
  expect((await over()).outcome).toBe('RESOLVED');
  expect(await rows(`select type from timeline_events where session_id = $1`, [session])).toEqual([
    { type: 'ALERT_RESOLVED' },
  ]);
});

it('gives its slot to the next session when its alert is resolved before it begins', async () => {
  const first = await fire({ group: 'first', fingerprint: 'first' });
  const dispatched = async (id: string) =>
    (await rows('select 1 from alert_sessions where id = $1 and dispatched_at is not null', [id])).length;
  await expect.poll(() => dispatched(first.session!)).toBe(1);
  const second = await fire({ group: 'second', fingerprint: 'second' });
  await over({ group: 'first', fingerprint: 'first' });
  expect(await dispatched(second.session!)).toBe(1);
});

it('keeps what follows its end apart from an alert that joined in the same delivery', async () => {
  const { session } = await fire();
  await begin(session!);
  const cpu = { fingerprint: 'cpu', title: 'CPU' };
  const brief = [alertBody(cpu), alertBody({ ...cpu, state: 'resolved' }), alertBody({ state: 'resolved' })];
  expect((await sendDelivery(app.url, brief)).outcome).toBe('RESOLVED');
  expect(
    await rows(
      `select type, metadata->>'on_resolve' as action from timeline_events where session_id = $1
       order by sequence_number`,
      [session],
    ),
  ).toEqual([
    { type: 'ALERT_JOINED', action: null },
    { type: 'ALERT_RESOLVED', action: 'tell' },
  ]);
});

it('covers at most 1000 names, the newest first', () => {
  const alerts = Array.from({ length: 1500 }, (_, n) => alertBody({ labels: { alertname: `A${n}` } }));
  const covered = coveredNames(alerts as never, ['before']);
  expect([covered.length, covered[0], covered.includes('before')]).toEqual([1000, 'A0', false]);
});

it('excludes by a rule before a silence counts the alert', async () => {
  await silence();
  expect((await fire({ severity: 'info' })).outcome).toBe('EXCLUDED');
  expect(await rows('select matched_count::int from silences')).toEqual([{ matched_count: 0 }]);
});

it('counts the groups of one delivery to the limit of a storm', async () => {
  const alerts = Array.from({ length: 30 }, (_, n) => alertBody({ fingerprint: `f${n}`, group: `g${n}` }));
  const { body } = await sendDelivery(app.url, alerts);
  expect(Map.groupBy(body.decisions!, ({ outcome }) => outcome).get('STORM')).toHaveLength(10);
});

it('stays with its group when one of several firing alerts becomes a canary', async () => {
  await sendDelivery(app.url, [alertBody(), alertBody({ fingerprint: 'cpu' })]);
  expect((await fire({ labels: { beat: 'yes' } })).outcome).toBe('CANARY');
  const state = async () => (await rows(`select state from alert_groups where group_key = 'db'`))[0]!.state;
  expect(await state()).toBe('FIRING');
  await fire({ fingerprint: 'cpu', labels: { beat: 'yes' } });
  expect(await state()).toBe('RESOLVED');
});
