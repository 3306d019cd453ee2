import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../test/helpers/app.ts';
import {
  alertBody,
  emptyIntake,
  intakeConfig,
  openTestPool,
  passTime,
  sendDelivery,
} from '../../test/helpers/deliveries.ts';
import { loadConfig } from '../config/load.ts';
import { createTransaction } from '../engine/store/database.ts';
import { createFindRuling } from './rules.ts';
import { runUpkeep } from './upkeep.ts';

let app: TestApp;
let pool: pg.Pool;
let round: () => Promise<void>;
const stored: string[] = [];
beforeAll(async () => {
  app = await startTestApp({
    role: 'api',
    intake: intakeConfig({ storm: { groups: 1, within: '5m', wait: '1h' } }),
  });
  pool = openTestPool(app.database.url);
  const config = await loadConfig({ dir: app.configDir, env: {} });
  const deps = {
    db: pool,
    transaction: createTransaction(pool, { publish: async () => {} }),
    config: config.intake,
    findRuling: createFindRuling(config.intake),
    isKnownType: (alertType: string) => alertType === 'test',
    submissions: {
      count() {},
      prepare: async ({ data }: { data: string }, author: string) => ({
        id: '',
        alertType: 'test',
        alertData: data,
        headline: { title: 'x', severity: 'UNKNOWN' as const, entities: [] },
        chainId: 'test',
        author,
        runbookUrl: null,
        mcpSelection: null,
        slackMessageFingerprint: null,
      }),
      stored: ({ id }: { id: string }) => void stored.push(id),
    },
    overBudget: async () => null,
    dispatch: async () => {},
    notifySlack: async () => {},
    logger: pino({ level: 'silent' }),
  };
  round = () => runUpkeep(deps);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyIntake(pool));

const rows = async (sql: string) => (await pool.query(sql)).rows as Record<string, unknown>[];
const silenceAll = () =>
  pool.query(`insert into silences (id, matchers, comment, created_by, starts_at, ends_at)
    values (gen_random_uuid(), array['host="db-03"'], 'known', 'ana', now() - interval '1 minute', now() + interval '1 hour')`);

it('investigates a group exactly once if it still fires when its silence ends', async () => {
  await silenceAll();
  await sendDelivery(app.url, alertBody());
  await round();
  expect(await rows('select 1 from alert_sessions')).toEqual([]);
  await pool.query('update silences set ends_at = now()');
  await Promise.all([round(), round(), round()]);
  await expect.poll(() => rows('select id from alert_sessions')).toHaveLength(1);
  expect(await rows(`select reason from intake_decisions where outcome = 'INVESTIGATED'`)).toEqual([
    { reason: 'The silence ended. 1 firing alert, severity critical. First investigation.' },
  ]);
  await round();
  expect(await rows('select 1 from alert_sessions')).toHaveLength(1);
});

it('closes a group without deliveries as stale with a reason, and investigates its next alert', async () => {
  await sendDelivery(app.url, alertBody());
  await pool.query(
    'update alert_sessions set status = $1, completed_at = now(), started_at = now(), attempt = 1',
    ['COMPLETED'],
  );
  await passTime(pool, 23 * 3600);
  await round();
  expect(await rows('select state from alert_groups')).toEqual([{ state: 'FIRING' }]);
  await passTime(pool, 2 * 3600);
  await Promise.all([round(), round()]);
  await expect
    .poll(() => rows('select state, is_stale, firing_count from alert_groups'))
    .toEqual([{ state: 'RESOLVED', is_stale: true, firing_count: 0 }]);
  expect(await rows(`select reason from intake_decisions where outcome = 'RESOLVED'`)).toEqual([
    {
      reason:
        'Closed as stale after 1 d 1 h without a report. Limit: 1 d, and three times the longest gap between reports (0 s). The problem may persist.',
    },
  ]);
  expect((await sendDelivery(app.url, alertBody())).outcome).toBe('INVESTIGATED');
});

it('does the rest of its work when one group cannot be changed', async () => {
  await silenceAll();
  for (const group of ['first', 'second'])
    await sendDelivery(app.url, alertBody({ group, fingerprint: group }));
  const [refused] = await rows(`select id from alert_groups order by id`);
  await pool.query(`create function refuse_change() returns trigger language plpgsql as
    $$ begin raise exception 'not this one' using errcode = 'data_exception'; end $$`);
  await pool.query(`create trigger refuse_change before update on alert_groups for each row
    when (old.id = '${refused!.id as string}') execute function refuse_change()`);
  try {
    await pool.query('update silences set ends_at = now()');
    await expect(round()).rejects.toThrow('not this one');
    expect(await rows('select last_outcome as outcome from alert_groups order by id')).toEqual([
      { outcome: 'SILENCED' },
      { outcome: 'INVESTIGATED' },
    ]);
  } finally {
    await pool.query('drop trigger refuse_change on alert_groups');
  }
});

it('closes a group with rare deliveries after three times its longest gap', async () => {
  await sendDelivery(app.url, alertBody());
  await passTime(pool, 12 * 3600);
  await sendDelivery(app.url, alertBody());
  await sendDelivery(app.url, alertBody());
  await passTime(pool, 30 * 3600);
  await round();
  expect(await rows('select state from alert_groups')).toEqual([{ state: 'FIRING' }]);
  await passTime(pool, 7 * 3600);
  await round();
  await expect.poll(() => rows('select state from alert_groups')).toEqual([{ state: 'RESOLVED' }]);
});

it('gives the session of a waiting storm the text of all its groups', async () => {
  for (let index = 0; index < 25; index++)
    await sendDelivery(
      app.url,
      alertBody({
        fingerprint: `f${index}`,
        group: `g${index}`,
        title: `Pod ${index}\n# forged`,
        severity: index === 20 ? 'critical' : 'error',
        labels: { cluster: 'eu', pod: `p${index}` },
      }),
    );
  await round();
  const storm = async () =>
    String((await rows('select alert_data from alert_sessions where group_id is null'))[0]!.alert_data);
  // The process also runs upkeep, and may store the text of an earlier moment last.
  await expect.poll(storm).toContain('24 groups with 24 alerts that fire.');
  const text = await storm();
  expect(text).toContain('- cluster: eu (24 alerts)');
  expect(text).toMatch(/The worst groups, 20 of 24:\n- CRITICAL Pod 20 # forged: Pod p20: 1 firing/);
  expect(text.match(/^# /gm)).toHaveLength(1);
});

const STORM = 'from alert_sessions where group_id is null';
const sendPods = async (from: number, to: number, more: Record<string, unknown> = {}) => {
  for (let n = from; n < to; n++)
    await sendDelivery(
      app.url,
      alertBody({ fingerprint: `f${n}`, group: `g${n}`, title: `Pod ${n}`, ...more }),
    );
};

it('cancels a storm that is resolved before its investigation begins, and then it covers no group', async () => {
  await sendPods(0, 3);
  await sendPods(1, 3, { state: 'resolved' });
  await round();
  expect(await rows(`select status, error_message, resolved_at is not null as over ${STORM}`)).toEqual([
    { status: 'CANCELLED', error_message: 'Resolved before the investigation started.', over: true },
  ]);
  await sendPods(1, 2, { state: 'resolved' });
  expect((await sendDelivery(app.url, alertBody({ fingerprint: 'f1', group: 'g1' }))).outcome).toBe('STORM');
});

it('notifies a running storm session of joined groups together, of its end, and of its return', async () => {
  await sendPods(0, 3);
  await pool.query(
    `update alert_sessions set status = 'IN_PROGRESS', attempt = 1, started_at = now() + interval '1 hour' where group_id is null`,
  );
  const news = () =>
    rows(`select type, metadata->>'count' as count, content from timeline_events order by sequence_number`);
  await sendPods(3, 26);
  // Makes notifications due only now: the process also runs upkeep, and must not notify before all groups joined.
  await pool.query(
    `update alert_sessions set started_at = started_at - interval '1 hour' + interval '5 seconds' where group_id is null`,
  );
  await round();
  await sendPods(26, 30);
  await round(); // sends nothing, because it comes too soon
  const told = await news();
  expect(told).toMatchObject([{ type: 'ALERT_JOINED', count: '23' }]);
  expect(String(told[0]!.content).split('\n')).toHaveLength(22);
  expect(told[0]!.content).toMatch(
    /^23 groups joined the storm:\n- CRITICAL Pod 3: host db-03: 1 firing, since /,
  );
  await pool.query(`update timeline_events set created_at = created_at - interval '31 seconds'`);
  await pool.query(
    `update alert_groups set investigated_at = investigated_at - interval '31 seconds' where title !~ '2[6789]'`,
  );
  await sendPods(1, 30, { state: 'resolved' });
  await round();
  await round();
  expect((await news()).slice(1)).toMatchObject([
    { type: 'ALERT_JOINED', count: '4' },
    { type: 'ALERT_RESOLVED', count: '0' },
  ]);
  expect(await rows(`select status, resolved_at is not null as over ${STORM}`)).toEqual([
    { status: 'IN_PROGRESS', over: true },
  ]);
  await sendPods(40, 41);
  await round();
  expect(await rows(`select resolved_at is not null as over ${STORM}`)).toEqual([{ over: false }]);
});

it('notifies a running storm session once, although several processes do upkeep at the same moment', async () => {
  await sendPods(0, 3);
  await pool.query(
    `update alert_sessions set status = 'IN_PROGRESS', attempt = 1, started_at = now() - interval '1 minute' where group_id is null`,
  );
  const other = await pool.connect();
  await other.query('begin');
  await other.query(`select 1 ${STORM} for update`);
  await pool.query('update alert_groups set firing_count = 0');
  const rounds = Promise.all([round(), round()]);
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await rows(waiting)).length).toBeGreaterThanOrEqual(2);
  await other.query('commit');
  other.release();
  await rounds;
  const updates = `select type from timeline_events where session_id = (select id ${STORM}) order by sequence_number`;
  expect(await rows(updates)).toEqual([{ type: 'ALERT_JOINED' }, { type: 'ALERT_RESOLVED' }]);
});
