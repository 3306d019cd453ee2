import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../test/helpers/app.ts';
import {
  alertBody,
  emptyIntake,
  endSession,
  openTestPool,
  passTime,
  SOURCE_TOKEN,
  sendDelivery,
} from '../../test/helpers/deliveries.ts';

const TYPES = ['generic', 'alertmanager', 'opsgenie', 'cloudevents', 'datadog', 'pagerduty'] as const;

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  const sources = TYPES.map((type) => {
    const proof = type === 'pagerduty' ? { verification: 'none' } : { tokens: [SOURCE_TOKEN] };
    return [type, { type, ...proof }];
  });
  const rules = [{ name: 'only bad', match: ['severity=~"info|warning"'], investigate: 'never' }];
  app = await startTestApp({ role: 'api', intake: { sources: Object.fromEntries(sources), rules } });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyIntake(pool));

const rows = async (sql: string) => (await pool.query(sql)).rows as Record<string, unknown>[];
const decided = async () =>
  (await rows('select outcome from intake_decisions order by at, id')).map(({ outcome }) => outcome);
const states = async () =>
  (await rows('select state from alert_groups order by opened_at')).map(({ state }) => state);
/** Returns a time of a sender, `minutes` from now. */
const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

it('a resolution says how long the alert fired, by the sender’s time', async () => {
  const began = at(-180);
  const report = (state: string) =>
    sendDelivery(app.url, alertBody({ state, starts_at: began }), { source: 'generic' });
  await report('firing');
  const { body } = await report('resolved');
  expect(body.decisions![0]!.reason).toMatch(/^The alert resolved 3 h( \d+ s)? after it fired\./);
});

async function send(source: (typeof TYPES)[number], body: unknown): Promise<string> {
  const headers = source === 'cloudevents' ? { 'content-type': 'application/cloudevents-batch+json' } : {};
  const answer = await sendDelivery(app.url, body, { source, headers: headers as Record<string, string> });
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return answer.outcome ?? answer.body.status!;
}

const alertmanager = (status: 'firing' | 'resolved', startsAt: string, more = {}) =>
  send('alertmanager', {
    groupKey: '{}:{}',
    alerts: [
      {
        ...{ status, labels: { alertname: 'DiskFull', severity: 'critical' }, fingerprint: 'abcd', startsAt },
        endsAt: status === 'firing' ? '0001-01-01T00:00:00Z' : at(0),
        ...more,
      },
    ],
  });

it('investigates what Alertmanager fires again with its old start, right after it was resolved', async () => {
  const start = at(-10);
  expect(await alertmanager('firing', start)).toBe('INVESTIGATED');
  expect(await alertmanager('resolved', start)).toBe('RESOLVED');
  expect(await alertmanager('firing', start)).toBe('INVESTIGATED');
  expect(await states()).toEqual(['RESOLVED', 'FIRING']);
  expect(await alertmanager('firing', start)).toBe('DUPLICATE');
  expect(await alertmanager('resolved', at(-60))).toBe('DUPLICATE'); // of an earlier period
  expect(await states()).toEqual(['RESOLVED', 'FIRING']);
});

it('ignores the beginning of a period whose end arrived before it', async () => {
  const starts_at = at(-5);
  await send('generic', alertBody({ starts_at: at(-10) }));
  expect(await send('generic', alertBody({ state: 'resolved', starts_at, ends_at: at(-4) }))).toBe(
    'RESOLVED',
  );
  expect(await send('generic', alertBody({ starts_at }))).toBe('DUPLICATE');
  expect(await states()).toEqual(['RESOLVED']);
  expect(await rows('select starts_at from alerts')).toEqual([{ starts_at: new Date(starts_at) }]);
});

it('keeps the end of an alert when its resolution is repeated, and none that is still to come', async () => {
  const over = (ends_at: string) => send('generic', alertBody({ state: 'resolved', ends_at }));
  const ends = async () => (await rows('select ends_at from alerts'))[0]!.ends_at as Date;
  await send('generic', alertBody());
  await over(at(60));
  const first = await ends();
  expect(first.getTime()).toBeLessThanOrEqual(Date.now());
  await over(at(0));
  expect(await ends()).toEqual(first);
});

it('stores the decision to investigate again beside the alert whose delivery caused it, although its start is older', async () => {
  await alertmanager('firing', at(-10));
  const [session] = await rows('select id from alert_sessions');
  await endSession(pool, String(session!.id));
  await passTime(pool, 5 * 3600);
  expect(await alertmanager('firing', at(-400))).toBe('INVESTIGATED');
  const [last] = await rows(
    'select outcome, session_id, alert_id from intake_decisions order by at desc limit 1',
  );
  expect(last).toMatchObject({
    outcome: 'INVESTIGATED',
    session_id: expect.any(String),
    alert_id: expect.any(String),
  });
});

describe('a start in the future', () => {
  it.each([
    ['ten minutes', at(10)],
    ['three hours', at(180)],
    ['decades', '2099-01-01T00:00:00Z'],
  ])('of %s hides neither the end nor the next outage', async (_, starts_at) => {
    const fire = (more = {}) => send('generic', alertBody({ starts_at, ...more }));
    expect(await fire()).toBe('INVESTIGATED');
    expect(await fire()).toBe('DUPLICATE');
    expect(await send('generic', alertBody({ state: 'resolved', ends_at: at(0) }))).toBe('RESOLVED');
    expect(await fire({ starts_at: at(0) })).toBe('INVESTIGATED');
    expect(await fire({ starts_at: at(-1) })).toBe('DUPLICATE');
    expect(await send('generic', alertBody({ state: 'resolved', ends_at: at(0) }))).toBe('RESOLVED');
    expect(await states()).toEqual(['RESOLVED', 'RESOLVED']);
  });
});

it('decides on each of several reports about one alert in one delivery, in their order', async () => {
  await send('generic', [alertBody(), alertBody({ severity: 'error' }), alertBody({ state: 'resolved' })]);
  expect(await decided()).toEqual(['RESOLVED', 'RESOLVED', 'RESOLVED']);
  expect(await rows('select state, deliveries::int from alerts')).toEqual([
    { state: 'RESOLVED', deliveries: 3 },
  ]);
  await send('generic', [alertBody({ state: 'resolved' }), alertBody()]);
  expect((await decided()).slice(3).sort()).toEqual(['INVESTIGATED', 'RESOLVED']);
  expect(await rows('select state, deliveries::int from alerts')).toEqual([
    { state: 'FIRING', deliveries: 5 },
  ]);
});

const pagerduty = (type: string, minute: number, data: Record<string, unknown> = {}) =>
  send('pagerduty', {
    event: {
      ...{ id: `${type}${minute}`, event_type: `incident.${type}`, occurred_at: at(minute) },
      data: {
        ...{ id: 'Q1', type: 'incident', title: 'checkout slow', created_at: at(-60), urgency: 'low' },
        ...{ status: type === 'resolved' ? 'resolved' : 'triggered', priority: { summary: 'P3' } },
        ...data,
      },
    },
  });

it('takes a PagerDuty acknowledgement as first news, and a new priority as reason for an investigation', async () => {
  expect(await pagerduty('acknowledged', -30)).toBe('EXCLUDED');
  expect(await pagerduty('priority_updated', -20, { priority: { summary: 'P1' } })).toBe('INVESTIGATED');
  expect(await pagerduty('triggered', -60)).toBe('DUPLICATE'); // late
  expect(await rows('select severity, state from alerts')).toEqual([
    { severity: 'CRITICAL', state: 'FIRING' },
  ]);
  expect(await pagerduty('resolved', -10)).toBe('RESOLVED');
  expect(await pagerduty('escalated', -15)).toBe('DUPLICATE');
  expect(await states()).toEqual(['RESOLVED']);
  expect(await pagerduty('reopened', -5, { priority: { summary: 'P1' }, reopened_at: at(-5) })).toBe(
    'INVESTIGATED',
  );
});

it('begins an investigation that a rule of severity held back when Opsgenie raises the priority', async () => {
  const act = (action: string, priority: string, minute: number) =>
    send('opsgenie', {
      action,
      alert: {
        alertId: 'a1',
        alias: 'checkout',
        message: 'slow',
        priority,
        updatedAt: Date.parse(at(minute)),
      },
    });
  expect(await act('Create', 'P3', -30)).toBe('EXCLUDED');
  expect(await act('UpdatePriority', 'P1', -20)).toBe('INVESTIGATED');
  expect(await act('UpdatePriority', 'P2', -10)).toBe('DUPLICATE');
  expect(await act('Close', 'P2', -5)).toBe('RESOLVED');
  expect(await act('UpdatePriority', 'P1', -1)).toBe('DUPLICATE'); // of the alert that was closed
  expect(await states()).toEqual(['RESOLVED']);
});

describe('CloudEvents', () => {
  const event = (id: string, state: string, time: string | null) => ({
    ...{ specversion: '1.0', id, source: 'test', type: 'alert', ...(time && { time }) },
    data: alertBody({ state }),
  });
  it('that come twice in one batch or in another do not open a closed group again', async () => {
    const fired = event('1', 'firing', at(-10));
    expect(await send('cloudevents', [fired])).toBe('INVESTIGATED');
    expect(await send('cloudevents', [event('2', 'resolved', at(-5))])).toBe('RESOLVED');
    expect(await send('cloudevents', [fired, event('3', 'firing', at(-7))])).toBe('DUPLICATE');
    expect(await states()).toEqual(['RESOLVED']);
    expect(await send('cloudevents', [event('4', 'firing', at(-1))])).toBe('INVESTIGATED');
  });
  it('that come twice as a batch without times do not open a closed group again', async () => {
    const batch = [event('1', 'firing', null), event('2', 'firing', null)];
    expect(await send('cloudevents', batch)).toBe('INVESTIGATED');
    expect(await send('cloudevents', [event('3', 'resolved', null)])).toBe('RESOLVED');
    expect(await send('cloudevents', batch)).toBe('repeated');
    expect(await states()).toEqual(['RESOLVED']);
  });
});
