import { describe, expect, it } from 'vitest';
import type { SourceType } from '../../config/enums.ts';
import { read } from '../fixtures/delivery.ts';

const only = (...args: Parameters<typeof read>) => {
  const { alerts } = read(...args);
  expect(alerts).toHaveLength(1);
  return alerts[0]!;
};

/** Bodies that no template explains, with their title, severity, state and a label that rules may match. */
const BODIES: readonly (readonly [SourceType, Record<string, unknown>, Record<string, unknown>])[] = [
  [
    'generic',
    { heartbeat: { status: 0, msg: 'connection refused' }, monitor: { name: 'Shop' }, msg: '[Shop] down' },
    { title: '[Shop] down', state: 'FIRING', labels: { name: 'Shop' } },
  ],
  [
    'generic',
    { search_name: 'Too many 5xx', result: { host: 'web-1', count: '812' } },
    { title: 'Too many 5xx', labels: { host: 'web-1' } },
  ],
  [
    'generic',
    { host: 'db-03', service: 'Disk /', output: 'DISK CRITICAL 2% free', state_name: 'CRITICAL' },
    { title: 'DISK CRITICAL 2% free', severity: 'CRITICAL', labels: { host: 'db-03', service: 'Disk /' } },
  ],
  ['generic', { text: 'Disk of db-03 is full' }, { title: 'Disk of db-03 is full' }],
  [
    'zabbix',
    { event_name: 'Disk full', event_value: '1', host_name: 'db-03' },
    { title: 'Disk full', state: 'FIRING', labels: { host: 'db-03' } },
  ],
  [
    'generic',
    { title: { text: 'Queue is full' }, queue: 'orders' },
    { title: 'Queue is full', labels: { queue: 'orders' } },
  ],
  ['generic', { labels: ['disk', 'db'], message: 'Disk of db-03' }, { title: 'Disk of db-03' }],
  [
    'generic',
    { attachments: [{ title: 'Login fails', fields: [{ title: 'Host', value: 'web-7' }] }] },
    { title: 'Login fails' },
  ],
  [
    'generic',
    { level: 'fatal', logger: 'shop.pay', exc: 'TimeoutError' },
    { severity: 'CRITICAL', labels: { logger: 'shop.pay' } },
  ],
  [
    'generic',
    { status: 'resolved', check: 'ping', host: 'db-03' },
    { state: 'RESOLVED', labels: { host: 'db-03' } },
  ],
  [
    'datadog',
    { metric: 'cpu', hostgroup: 'web', alert_title: 'CPU high' },
    { title: 'CPU high', labels: { metric: 'cpu', hostgroup: 'web' } },
  ],
  [
    'cloudevents',
    {
      ...{ specversion: '1.0', id: 'e1', source: '/apis/v1/namespaces/shop/events', type: 'k8s.event' },
      time: '2026-11-26T09:05:00Z',
      data: {
        reason: 'FailedScheduling',
        message: 'insufficient memory',
        involvedObject: { name: 'checkout-1' },
      },
    },
    {
      title: 'insufficient memory',
      labels: { name: 'checkout-1', reason: 'FailedScheduling' },
      reportedAt: new Date('2026-11-26T09:05:00Z'),
    },
  ],
];

it.each(BODIES)('%s reads %j like a text', (type, body, expected) => {
  const alert = only(type, body);
  expect(alert).toMatchObject(expected);
  expect(alert.title).not.toBe('Alert without a title');
});

it('keeps the whole body for the agents', () => {
  for (const [type, body] of BODIES.filter(([type]) => type === 'generic'))
    expect(JSON.parse(only(type, body).annotations.body!)).toEqual(body);
  expect(
    JSON.parse(only(...(BODIES.at(-1)!.slice(0, 2) as [SourceType, unknown])).annotations.body!),
  ).toMatchObject({
    message: 'insufficient memory',
  });
});

it('takes no two of them for the same alert', () => {
  const keys = BODIES.map(([type, body]) => only(type, body).fingerprint);
  expect(new Set(keys).size).toBe(BODIES.length);
});

describe('a body without a fingerprint', () => {
  const BODY = {
    ...{
      host: 'db-03',
      service: 'Disk /',
      output: 'Disk is at 97.4 % of 20 GB since 10:04',
      state_name: 'CRITICAL',
    },
    ...{ timestamp: 1763805600, created_at: '2026-11-22T10:00:00Z', attempt: 3, duration_s: '12' },
    ...{
      id: 'b1c2d3e4-0000-4000-8000-000000000001',
      is_flapping: false,
      links: { result: 'https://m.example.com/1' },
    },
  };
  const key = (more: Record<string, unknown> = {}) => only('generic', { ...BODY, ...more }).fingerprint;

  it.each([
    { timestamp: 1763809200, created_at: '2026-11-22T11:00:00Z' },
    { attempt: 4, is_flapping: true },
    { output: 'Disk is at 98.1 % of 20 GB since 11:07' },
    { state_name: 'WARNING' },
    { id: 'b1c2d3e4-0000-4000-8000-000000000002', links: { result: 'https://m.example.com/2' } },
  ])('is the same alert with %j', (more) => {
    expect(key(more)).toBe(key());
  });

  it.each([
    { host: 'db-04' },
    { service: 'Disk /var' },
    { output: 'Disk is read-only' },
    { monitor_id: 7 },
    { endpoint: 'https://shop.example.com/b' },
    { vm: 'b1c2d3e4-0000-4000-8000-000000000002' },
    { stateMachineArn: 'arn:aws:states:eu-west-1:123456789012:stateMachine:a' },
  ])('is another alert with %j', (more) => {
    expect(key(more)).not.toBe(key());
  });

  it('differs for two numbers that name a thing', () => {
    const of = (text: string) => only('generic', { text }).fingerprint;
    expect(of('Node 5 is down')).not.toBe(of('Node 6 is down'));
    expect(of('10.0.0.3 is down')).not.toBe(of('10.0.0.4 is down'));
    expect(of('CPU is at 91.2 %')).toBe(of('CPU is at 93.4 %'));
  });

  it('keeps members beside the keys of a template, which tell its alerts apart', () => {
    const of = (host: string) => only('generic', { title: 'Disk full', severity: 'high', host });
    expect(of('db-03')).toMatchObject({ title: 'Disk full', severity: 'ERROR', labels: { host: 'db-03' } });
    expect(of('db-03').fingerprint).not.toBe(of('db-04').fingerprint);
  });
});

it('reads text and forms', () => {
  const text = { headers: { 'content-type': 'text/plain; charset=utf-8' } };
  expect(only('generic', 'CRITICAL: disk of db-03 is full', text)).toMatchObject({
    ...{ title: 'CRITICAL: disk of db-03 is full', severity: 'CRITICAL', state: 'FIRING' },
  });
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  expect(only('generic', 'title=Disk+full&severity=P2&host=db-03', form)).toMatchObject({
    ...{ title: 'Disk full', severity: 'ERROR', labels: { host: 'db-03' } },
  });
  expect(only('generic', { title: 'From curl' }, form).title).toBe('From curl');
});

it.each([
  ['generic', {}],
  ['generic', [{}]],
  ['generic', { severity: 'high', state: 'firing' }],
  ['generic', { text: ' ', host: null, tags: [] }],
  ['datadog', {}],
  ['zabbix', { event_value: '1' }],
] as const)('%s refuses %j, and names what is missing', (type, body) => {
  expect(() => read(type, body)).toThrow(
    expect.objectContaining({
      status: 422,
      message: expect.stringMatching(/^\$(?:\[0\])?: holds nothing to read; send a title/),
    }),
  );
});

describe('with a mapping', () => {
  const mapped = (mapping: Record<string, unknown>, body: unknown) =>
    only('generic', body, { source: { mapping: mapping as never } });

  it('whose title leads to nothing, the body is read like a text', () => {
    const body = { host: 'db-03', output: 'Host unreachable' };
    expect(mapped({ title: '$.service' }, body)).toMatchObject({
      ...{
        title: 'Host unreachable',
        labels: { host: 'db-03' },
        annotations: { body: JSON.stringify(body) },
      },
    });
    expect(() => mapped({ title: '$.service' }, { service: null })).toThrow('holds nothing to read');
  });

  it('of a title alone, hosts stay two alerts', () => {
    const key = (host: string) => mapped({ title: '$.service' }, { service: 'Disk', host }).fingerprint;
    expect(key('a')).not.toBe(key('b'));
  });

  it('reads constants, joined texts, alternatives and a severity of its own', () => {
    const mapping = {
      title: ['{$.service} on {$.host}', '{$.host} does not answer'],
      severity: '$.prio',
      severities: { '1': 'critical', 'very *': 'error' },
      ignoredValues: ['ack*'],
      state: '$.kind',
      labels: { team: 'storage', host: '$.host', tags: '$.tags' },
    };
    expect(mapped(mapping, { service: 'Disk', host: 'db-03', prio: 1, tags: ['a', 'b'] })).toMatchObject({
      ...{
        title: 'Disk on db-03',
        severity: 'CRITICAL',
        labels: { team: 'storage', host: 'db-03', tags: 'a, b' },
      },
    });
    expect(mapped(mapping, { host: 'db-03', prio: 'very high' })).toMatchObject({
      ...{ title: 'db-03 does not answer', severity: 'ERROR' },
    });
    expect(mapped(mapping, { host: 'db-03', prio: 'P3' }).severity).toBe('WARNING');
    const ack = { host: 'db-03', kind: 'Acknowledged' };
    expect(read('generic', ack, { source: { mapping: mapping as never } })).toMatchObject({ alerts: [] });
  });
});

describe('a body of the keys of a template alone, without a fingerprint', () => {
  const of = (more: object) =>
    only('generic', { title: 'CPU of db-03 is at 91.2 %', state: 'firing', ...more });

  it.each([
    { title: 'CPU of db-03 is at 12.7 %', state: 'ok' },
    { title: '[RESOLVED] CPU of db-03 is at 12.7 %' },
    { severity: 'critical', starts_at: '2026-11-22T10:00:00Z' },
  ])('is the same alert with %j', (more) => {
    expect(of(more).fingerprint).toBe(of({}).fingerprint);
  });

  it.each([{ title: 'CPU of db-04 is at 91.2 %' }, { labels: { disk: '1' } }])(
    'is another alert with %j',
    (more) => {
      expect(of(more).fingerprint).not.toBe(of({}).fingerprint);
    },
  );
});

it.each([
  [{ title: '[RESOLVED] Disk full', state: '' }, 'RESOLVED'],
  [{ title: 'Disk full', state: { value: 'OK' } }, 'RESOLVED'],
  [{ title: 'Disk full', state: { value: 'ALARM' } }, 'FIRING'],
  [{ title: '[RESOLVED] Disk full', state: 'firing' }, 'FIRING'],
  [{ title: 'Disk full', state: '' }, 'FIRING'],
])('the state of %j is %s', (body, state) => {
  expect(only('generic', body).state).toBe(state);
});

it('a CloudEvent with an empty state has that of its type', () => {
  const event = { specversion: '1.0', id: 'e1', source: '/disk', type: 'com.example.disk.resolved' };
  const stateWith = (state: string) =>
    only('cloudevents', { ...event, data: { title: 'Disk', state } }).state;
  expect([stateWith(''), stateWith('firing')]).toEqual(['RESOLVED', 'FIRING']);
});
