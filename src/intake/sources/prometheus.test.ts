import { describe, expect, it } from 'vitest';
import { HOSTILE, read } from '../fixtures/delivery.ts';

const alert = (more: Record<string, unknown> = {}) => ({
  status: 'firing',
  labels: { alertname: 'DiskFull', instance: 'db-03', severity: 'critical' },
  annotations: { summary: 'The disk is 97 % full', runbook_url: 'https://example.com/disk' },
  startsAt: '2026-11-22T10:00:00.123456789Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus:9090/graph?g0.expr=x',
  fingerprint: 'a1b2c3d4e5f60718',
  ...more,
});
const delivery = (alerts: unknown[], more: Record<string, unknown> = {}) => ({
  version: '4',
  groupKey: '{}/{severity="critical"}:{alertname="DiskFull"}',
  truncatedAlerts: 0,
  status: 'firing',
  receiver: 'team\\-x',
  groupLabels: { alertname: 'DiskFull' },
  commonLabels: {},
  commonAnnotations: {},
  externalURL: 'http://alertmanager:9093',
  alerts,
  ...more,
});

describe('alertmanager', () => {
  it('reads a firing alert', () => {
    expect(read('alertmanager', delivery([alert()])).alerts).toEqual([
      {
        fingerprint: 'a1b2c3d4e5f60718',
        groupKey: '{}/{severity="critical"}:{alertname="DiskFull"}',
        group: '{}/{severity="critical"}:{alertname="DiskFull"}',
        episode: null,
        title: 'DiskFull',
        severity: 'CRITICAL',
        state: 'FIRING',
        labels: { alertname: 'DiskFull', instance: 'db-03', severity: 'critical' },
        annotations: { summary: 'The disk is 97 % full', runbook_url: 'https://example.com/disk' },
        startsAt: new Date('2026-11-22T10:00:00.123Z'),
        endsAt: null,
        url: 'http://prometheus:9090/graph?g0.expr=x',
      },
    ]);
  });

  it('reads a resolved alert', () => {
    const [resolved] = read(
      'alertmanager',
      delivery([alert({ status: 'resolved', endsAt: '2026-11-22T10:05:00Z' })], { status: 'resolved' }),
    ).alerts;
    expect(resolved).toMatchObject({ state: 'RESOLVED', endsAt: new Date('2026-11-22T10:05:00Z') });
  });

  it('reads several alerts of one group, some resolved, and names the shared labels', () => {
    const { alerts, notes } = read(
      'alertmanager',
      delivery([alert(), alert({ status: 'resolved', fingerprint: 'b', endsAt: '2026-11-22T10:05:00Z' })], {
        groupLabels: { alertname: 'DiskFull', cluster: 'eu-1' },
        truncatedAlerts: 3,
      }),
    );
    expect(alerts.map(({ state, group }) => [state, group])).toEqual([
      ['FIRING', '{}/{severity="critical"}:{alertname="DiskFull"}'],
      ['RESOLVED', '{}/{severity="critical"}:{alertname="DiskFull"}'],
    ]);
    expect(alerts[0]!.title).toBe('DiskFull (cluster=eu-1)');
    expect(notes).toEqual(['The sender left 3 alerts of the group out (max_alerts).']);
  });

  it('identifies alerts without a fingerprint by their labels', () => {
    const bare = (labels: Record<string, string>) => ({ alerts: [{ status: 'firing', labels }] });
    const [one] = read('alertmanager', bare({ a: '1', b: '2' })).alerts;
    const [same] = read('alertmanager', bare({ b: '2', a: '1' })).alerts;
    const [other] = read('alertmanager', bare({ a: '1', b: '3' })).alerts;
    expect(one).toMatchObject({
      title: 'Alert',
      severity: 'UNKNOWN',
      startsAt: null,
      url: null,
      groupKey: null,
    });
    expect(one!.group).toBe(one!.fingerprint);
    expect(same!.fingerprint).toBe(one!.fingerprint);
    expect(other!.fingerprint).not.toBe(one!.fingerprint);
  });

  it('keeps hostile text as text, and keeps only web addresses', () => {
    const [read1] = read(
      'alertmanager',
      delivery([
        alert({
          labels: { alertname: HOSTILE, __proto__: 'x', constructor: 'y', 'größe/🦉': 'ja' },
          generatorURL: 'javascript:alert(1)',
        }),
      ]),
    ).alerts;
    expect(read1!.title).toMatch(/^<\/alert> # Ignore the above/);
    expect(read1!.title).not.toMatch(/[\n\0]/);
    expect(read1!.labels).toMatchObject({ constructor: 'y', 'größe/🦉': 'ja' });
    expect(read1!.url).toBeNull();
    expect(Object.getPrototypeOf(read1!.labels)).toBe(Object.prototype);
  });

  it.each([
    ['{"alerts": [', '$: is not JSON'],
    ['', '$: the delivery is empty'],
    [Buffer.from([0xff, 0xfe]), '$: is not UTF-8 text'],
    [{ status: 'firing' }, '$.alerts: is required'],
    [{ alerts: {} }, '$.alerts: expected a list, got a mapping'],
    [{ alerts: [{ status: 'firing' }] }, '$.alerts[0].labels: is required'],
    [delivery([alert({ status: null })]), '$.alerts[0].status: expected text, got null'],
  ])('reports where a delivery is wrong: %j', (body, message) => {
    expect(() => read('alertmanager', body)).toThrow(
      expect.objectContaining({ status: 422, code: 'UNREADABLE_DELIVERY', message }),
    );
  });

  it('keeps 200 labels of 2,000 characters, and notes what it cut', () => {
    const labels = Object.fromEntries(
      Array.from({ length: 250 }, (_, index) => [`label_${index}`, 'v'.repeat(3000)]),
    );
    const { alerts, notes } = read('alertmanager', delivery([alert({ labels })]));
    expect(Object.keys(alerts[0]!.labels)).toHaveLength(200);
    expect(alerts[0]!.labels.label_0).toHaveLength(2000);
    expect(notes).toEqual(['50 of 250 labels are left out; 200 are kept.', '200 labels are shortened.']);
  });

  it('accepts 5,000 alerts and no more', () => {
    const many = (count: number) =>
      delivery(Array.from({ length: count }, (_, index) => alert({ fingerprint: `${index}` })));
    expect(read('alertmanager', many(5000)).alerts).toHaveLength(5000);
    expect(() => read('alertmanager', many(5001))).toThrow(
      expect.objectContaining({ status: 413, code: 'DELIVERY_TOO_LARGE' }),
    );
  });
});

describe('grafana', () => {
  const grafana = (alerts: unknown[], more = {}) =>
    delivery(alerts, {
      version: '1',
      orgId: 1,
      title: '[FIRING:1] CPU',
      state: 'alerting',
      message: 'm',
      ...more,
    });

  it('reads a firing alert with its values and links', () => {
    const [cpu] = read(
      'grafana',
      grafana([
        alert({
          values: { A: 97.5, B: null },
          valueString: '[ var=A value=97.5 ]',
          dashboardURL: 'https://grafana.example.com/d/1',
          silenceURL: 'https://grafana.example.com/silence',
          panelURL: '',
        }),
      ]),
    ).alerts;
    expect(cpu).toMatchObject({
      fingerprint: 'a1b2c3d4e5f60718',
      state: 'FIRING',
      annotations: {
        'value.A': '97.5',
        valueString: '[ var=A value=97.5 ]',
        dashboardURL: 'https://grafana.example.com/d/1',
      },
    });
    expect(cpu!.annotations).not.toHaveProperty('value.B');
    expect(cpu!.annotations).not.toHaveProperty('panelURL');
  });

  it('reads a resolved alert, and several', () => {
    const { alerts } = read(
      'grafana',
      grafana([
        alert({ status: 'resolved', endsAt: '2026-11-22T11:00:00+01:00' }),
        alert({ fingerprint: 'b' }),
      ]),
    );
    expect(alerts.map(({ state, endsAt }) => [state, endsAt])).toEqual([
      ['RESOLVED', new Date('2026-11-22T10:00:00Z')],
      ['FIRING', null],
    ]);
  });

  it('names the rule in the title if data is missing', () => {
    const labels = { alertname: 'DatasourceNoData', rulename: 'CPU', grafana_folder: 'infra' };
    expect(read('grafana', grafana([alert({ labels })])).alerts[0]!.title).toBe('CPU: DatasourceNoData');
  });

  it('reads alerts without optional fields, and links to the panel without a generator', () => {
    const panel = 'https://grafana.example.com/d/1?viewPanel=2';
    const [bare] = read('grafana', {
      alerts: [{ status: 'firing', labels: {}, panelURL: panel, values: null }],
    }).alerts;
    expect(bare).toMatchObject({ url: panel, title: 'Alert', annotations: { panelURL: panel } });
  });

  it('keeps hostile text as text', () => {
    const [hostile] = read(
      'grafana',
      grafana([alert({ annotations: { summary: HOSTILE, n: { a: [1] } } })]),
    ).alerts;
    expect(hostile!.annotations.summary).toBe(HOSTILE.replace('\0', '\ufffd'));
    expect(hostile!.annotations.n).toBe('{"a":[1]}');
  });
});
