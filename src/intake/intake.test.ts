import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../test/helpers/app.ts';
import {
  alertBody,
  emptyIntake,
  endSession,
  intakeConfig,
  openTestPool,
  passTime,
  sendDelivery,
} from '../../test/helpers/deliveries.ts';

const RULES = [
  { name: 'patient', match: ['wait="yes"'], group_wait: '1h' },
  { name: 'stubborn', match: ['wait="stubborn"'], group_wait: '1h', investigate_resolved: true },
];

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  // Runs without a worker, so that only the test's own calls run.
  app = await startTestApp({ role: 'api', intake: intakeConfig({ rules: RULES }) });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyIntake(pool));

const deliver = (body: unknown, options = {}) => sendDelivery(app.url, body, options);
const fire = (more: Record<string, unknown> = {}) => deliver(alertBody(more));
const over = (more: Record<string, unknown> = {}) => deliver(alertBody({ state: 'resolved', ...more }));
const rows = async <T>(sql: string, values: unknown[] = []) => (await pool.query(sql, values)).rows as T[];
const sessions = () =>
  rows<{ id: string; status: string; alert_data: string }>(
    'select * from alert_sessions order by created_at',
  );
const groups = () => rows<Record<string, unknown>>('select * from alert_groups order by opened_at');

describe('a delivery', () => {
  it('creates an alert, a group, a session and a decision', async () => {
    const taken = await fire();
    expect(taken).toMatchObject({ status: 202, outcome: 'INVESTIGATED', body: { status: 'accepted' } });
    expect(taken.body.decisions).toMatchObject([
      {
        alerts: 1,
        reason: '1 firing alert, severity critical. First investigation.',
        session: expect.any(String),
      },
    ]);
    expect(await sessions()).toMatchObject([
      { id: taken.session, status: 'PENDING', author: 'prod', alert_type: 'test', run_at: null },
    ]);
    expect(await sessions()).toMatchObject([
      { title: 'Disk full: host db-03', severity: 'CRITICAL', entities: ['host db-03'] },
    ]);
    expect((await sessions())[0]!.alert_data).toContain(
      '# Disk full: host db-03\n\nSeverity: CRITICAL\nState: 1 firing, 0 resolved',
    );
    expect(await groups()).toMatchObject([
      {
        group_key: 'db',
        state: 'FIRING',
        alert_count: 1,
        firing_count: 1,
        last_outcome: 'INVESTIGATED',
        session_id: taken.session,
      },
    ]);
    expect(await rows('select * from alerts')).toMatchObject([
      { fingerprint: 'disk', labels: { host: 'db-03' }, state: 'FIRING' },
    ]);
    expect(await rows('select * from intake_decisions')).toMatchObject([
      { outcome: 'INVESTIGATED', session_id: taken.session, source: 'prod' },
    ]);
  });

  it('changes only its count when it is repeated', async () => {
    const first = await fire();
    const again = await fire();
    expect(again).toMatchObject({ outcome: 'DUPLICATE', session: first.session });
    expect(again.body.decisions![0]!.reason).toMatch(
      /^Same firing alert as \d+ s ago\. Investigation waiting for /,
    );
    expect(await sessions()).toHaveLength(1);
    expect(await rows('select deliveries::int from alerts')).toEqual([{ deliveries: 2 }]);
  });

  it('creates each row once when it arrives many times at the same moment', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => fire()));
    expect(all.map(({ outcome }) => outcome).sort()).toEqual([
      ...Array(19).fill('DUPLICATE'),
      'INVESTIGATED',
    ]);
    expect([(await sessions()).length, (await groups()).length]).toEqual([1, 1]);
    expect(await rows('select deliveries::int from alerts')).toEqual([{ deliveries: 20 }]);
    expect(await rows('select 1 from intake_decisions')).toHaveLength(20);
  });

  it('stores no secret', async () => {
    await fire({
      title: 'Login with password=hunter2hunter2 fails',
      annotations: { text: 'Authorization: Bearer abcdefghijklmnop1234' },
    });
    const stored = JSON.stringify([
      await rows('select * from alerts'),
      await groups(),
      await sessions(),
      await rows('select * from intake_decisions'),
    ]);
    expect(stored).not.toMatch(/hunter2hunter2|abcdefghijklmnop1234/);
    expect(stored).toContain('Login with');
  });

  it('is stored completely or not at all if the sender or the database fails', async () => {
    await pool.query('alter table intake_decisions rename to away');
    const refused = await fire();
    await pool.query('alter table away rename to intake_decisions');
    expect(refused).toMatchObject({
      status: 503,
      body: { errors: [{ extensions: { code: 'NOT_STORED' } }] },
    });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await rows('select 1 from alerts')).toEqual([]);
    expect((await fire()).outcome).toBe('INVESTIGATED');
    expect(await sessions()).toHaveLength(1);
  });
});

describe('a group', () => {
  it('takes the title of its worst alert, or of the first of several', async () => {
    await deliver([
      alertBody({ fingerprint: 'z', title: 'Told first' }),
      alertBody({ fingerprint: 'a', title: 'Told second' }),
    ]);
    expect(await groups()).toMatchObject([{ title: 'Told first: host db-03', alert_count: 2 }]);
    expect(await sessions()).toMatchObject([{ title: 'Told first: host db-03' }]);

    await emptyIntake(pool);
    await deliver([
      alertBody({ title: 'Minor', severity: 'info' }),
      alertBody({ fingerprint: 'a', title: 'Major', severity: 'error' }),
    ]);
    expect(await groups()).toMatchObject([{ title: 'Major: host db-03', severity: 'ERROR' }]);
    await fire({ fingerprint: 'b', title: 'Fatal' });
    const fatal = { title: 'Fatal: host db-03', severity: 'CRITICAL' };
    expect(await groups()).toMatchObject([{ ...fatal, alert_count: 3 }]);
    expect(await sessions()).toMatchObject([fatal]);
    await over({ fingerprint: 'b', title: 'Fatal' });
    expect(await groups()).toMatchObject([{ title: 'Major: host db-03', severity: 'ERROR' }]);
  });

  it('updates the text of a waiting session when another alert joins', async () => {
    const first = await fire();
    const joined = await fire({ fingerprint: 'cpu', title: 'CPU', labels: { host: 'web-1' } });
    expect(joined).toMatchObject({ outcome: 'JOINED', session: first.session });
    const [session, ...more] = await sessions();
    expect(more).toEqual([]);
    expect(session!.alert_data).toContain('## Alert 2 of 2: CPU');
    expect(session).toMatchObject({ title: 'Disk full: host db-03 and 1 more' });
    expect(await groups()).toMatchObject([
      { alert_count: 2, firing_count: 2, investigated_names: expect.arrayContaining(['Disk full', 'CPU']) },
    ]);
  });

  it('cancels its session with a reason when it is resolved before the session begins', async () => {
    const first = await fire({ labels: { wait: 'yes' }, severity: 'error' });
    expect(first.body.decisions![0]!.reason).toContain('Waiting 1 h for more alerts of the group.');
    expect(
      await rows(`select 1 from alert_sessions where run_at > now() + interval '59 minutes'`),
    ).toHaveLength(1);
    const end = await over();
    expect(end.outcome).toBe('RESOLVED');
    expect(end.body.decisions![0]!.reason).toMatch(
      /^The alert resolved \d+ s after it fired\. The investigation had not started and was cancelled\.$/,
    );
    expect(await sessions()).toMatchObject([
      { status: 'CANCELLED', error_message: 'Resolved before the investigation started.' },
    ]);
    expect(await groups()).toMatchObject([
      { state: 'RESOLVED', resolved_at: expect.any(Date), session_id: null },
    ]);
    expect((await fire()).outcome).toBe('INVESTIGATED');
  });

  it('is investigated although it is resolved if a rule requires it', async () => {
    await fire({ labels: { wait: 'stubborn' }, severity: 'error' });
    expect((await over({ labels: { wait: 'stubborn' } })).outcome).toBe('RESOLVED');
    expect(await sessions()).toMatchObject([{ status: 'PENDING', resolved_at: expect.any(Date) }]);
  });

  it('records that its problem ended during or after the investigation', async () => {
    const { session } = await fire();
    await endSession(pool, session!);
    expect((await over()).outcome).toBe('RESOLVED');
    expect(await sessions()).toMatchObject([{ status: 'COMPLETED', resolved_at: expect.any(Date) }]);
  });

  it('keeps firing while only some of its alerts are resolved', async () => {
    await deliver([alertBody(), alertBody({ fingerprint: 'cpu' })]);
    const part = await over();
    expect(part.outcome).toBe('JOINED');
    expect(await groups()).toMatchObject([{ state: 'FIRING', firing_count: 1, alert_count: 2 }]);
    expect((await over({ fingerprint: 'cpu' })).outcome).toBe('RESOLVED');
  });

  it('stays covered by its investigation for four hours, and is then investigated again', async () => {
    const { session } = await fire();
    await endSession(pool, session!);
    await passTime(pool, 3 * 3600);
    const soon = await fire();
    expect(soon.outcome).toBe('DUPLICATE');
    expect(soon.body.decisions![0]!.reason).toContain(
      'Last investigation 3 h ago (completed). Next one after 4 h, or when the alerts get worse.',
    );
    await over();
    expect(await fire()).toMatchObject({ outcome: 'RECENTLY_INVESTIGATED', session });
    await passTime(pool, 3600);
    expect((await fire()).outcome).toBe('INVESTIGATED');
    expect(await sessions()).toHaveLength(2);
  });

  it('is investigated again at once when it gets worse, gains a critical alert, or its investigation failed', async () => {
    const first = await fire({ severity: 'warning' });
    await endSession(pool, first.session!);
    const worse = await fire({ severity: 'error' });
    expect(worse.outcome).toBe('INVESTIGATED');
    expect(worse.body.decisions![0]!.reason).toContain('Severity rose from warning to error');
    await endSession(pool, worse.session!, 'FAILED');
    const again = await fire({ severity: 'error' });
    expect(again.body.decisions![0]!.reason).toContain('The last investigation failed');
    await endSession(pool, again.session!);
    expect((await fire({ severity: 'error', fingerprint: 'cpu', title: 'CPU' })).outcome).toBe(
      'RECENTLY_INVESTIGATED',
    );
    const critical = await fire({ fingerprint: 'net', title: 'Net' });
    expect(critical.outcome).toBe('INVESTIGATED');
    await endSession(pool, critical.session!);
    expect((await fire({ fingerprint: 'mem', title: 'Memory' })).body.decisions![0]!.reason).toContain(
      'New critical alert: Memory',
    );
  });

  it('is not investigated again for a changing figure in the title of a known or joined critical alert', async () => {
    const first = await fire({ title: 'Disk is 91 % full' });
    expect((await fire({ title: 'CPU at 97 %', fingerprint: 'cpu' })).outcome).toBe('JOINED');
    await endSession(pool, first.session!);
    const again = [
      alertBody({ title: 'Disk is 92 % full' }),
      alertBody({ title: 'CPU at 98 %', fingerprint: 'cpu' }),
    ];
    expect((await sendDelivery(app.url, again)).outcome).toBe('DUPLICATE');
  });

  it('is not investigated while it flaps', async () => {
    const first = await fire();
    await endSession(pool, first.session!);
    for (const _ of [1, 2]) {
      await passTime(pool, 60);
      await over();
      await passTime(pool, 60);
      expect((await fire()).outcome).toBe('RECENTLY_INVESTIGATED');
    }
    await passTime(pool, 60);
    await over();
    await passTime(pool, 5 * 3600);
    expect((await fire()).outcome).toBe('INVESTIGATED');

    await emptyIntake(pool, 'silences');
    for (const _ of [1, 2, 3]) {
      await fire();
      await passTime(pool, 30);
      await over();
    }
    const flaps = await fire();
    expect(flaps.outcome).toBe('FLAPPING');
    expect(flaps.body.decisions![0]!.reason).toBe(
      'Fired and resolved 3 times recently. Paused until stable for 30 min.',
    );
    expect((await fire()).outcome).toBe('DUPLICATE');
    await passTime(pool, 1801);
    await fire(); // starts a session, unless the process just did
    expect(await groups()).toMatchObject([{}, {}, {}, { last_outcome: 'INVESTIGATED' }]);
  });

  it('is not changed by an older delivery, even if its resolution had no end time', async () => {
    const at = (minute: number) => `2026-11-22T10:0${minute}:00Z`;
    await fire({ starts_at: at(5) });
    expect((await over({ ends_at: at(3) })).outcome).toBe('DUPLICATE');
    expect(await groups()).toMatchObject([{ state: 'FIRING' }]);
    expect((await over({ ends_at: at(7) })).outcome).toBe('RESOLVED');
    expect((await fire({ starts_at: at(5) })).outcome).toBe('DUPLICATE');
    expect((await over({ ends_at: at(7) })).outcome).toBe('RESOLVED');
    expect(await groups()).toHaveLength(1);
    expect((await over({ fingerprint: 'never seen' })).outcome).toBe('RESOLVED');
    expect(await sessions()).toHaveLength(1);
  });
});
