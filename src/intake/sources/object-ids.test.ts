import { describe, expect, it, test } from 'vitest';
import { SENDERS } from '../../../test/helpers/senders/index.ts';
import type { SourceType } from '../../config/enums.ts';
import type { GenericMapping } from '../../config/types.ts';
import { read } from '../fixtures/delivery.ts';
import { createFindRuling } from '../rules.ts';
import { mergeAlert } from '../store/alerts.ts';

test.each(SENDERS)('$name: the alert names its object', ({ source, delivery, headers = {}, object }) => {
  const { type, mapping = null } = source as { type: SourceType; mapping?: GenericMapping };
  const { alerts } = read(type, delivery, { headers, source: { mapping } });
  expect(alerts.map(({ objectId }) => objectId)).toEqual([object]);
});

const grafana = (urls: Record<string, string>) =>
  read('grafana', {
    ...{ status: 'firing', groupKey: 'g', groupLabels: {} },
    alerts: [{ status: 'firing', labels: { alertname: 'x' }, annotations: {}, ...urls }],
  }).alerts[0]!.objectId;

test.each([
  ['a panel', { panelURL: 'https://g.example/grafana/d/ab-C_1?orgId=1&viewPanel=7' }, 'ab-C_1/7'],
  ['a panel of a new dashboard', { panelURL: 'https://g.example/d/abc/name?viewPanel=panel-7' }, 'abc/7'],
  ['a dashboard', { dashboardURL: 'https://g.example/d/abc?orgId=1' }, 'abc'],
  ['no dashboard', { generatorURL: 'https://g.example/alerting/grafana/x/view' }, undefined],
  ['another address', { panelURL: 'https://g.example/d/../x' }, undefined],
])('a rule of Grafana with %s', (_, urls, expected) => {
  expect(grafana(urls)).toBe(expected);
});

test.each([
  ['an id with a space', 'INC 1'],
  ['a path', '../../users'],
  ['an id that is too long', 'x'.repeat(201)],
  ['an empty id', ''],
])('%s is no id', (_, id) => {
  const mapping = { object: '$.id' } as GenericMapping;
  const [alert] = read('generic', { title: 'x', id }, { source: { mapping } }).alerts;
  expect(alert).not.toHaveProperty('objectId');
});

test('a metric alert of Sentry has no issue', () => {
  const body = { action: 'critical', data: { metric_alert: { id: '1', title: 'slow' } } };
  expect(read('sentry', body).alerts[0]).not.toHaveProperty('objectId');
});

describe('a later report', () => {
  const source = { name: 'ops', alertType: null };
  const findRuling = createFindRuling({ rules: [] });
  const arrived = (alert: object, known: ReturnType<typeof mergeAlert>['row'] | null, minute: number) => {
    const body = { action: 'Create', alert: { alias: 'a', message: 'x', ...alert } };
    const [parsed] = read('opsgenie', { ...body, ...alert }).alerts;
    const { group: _, ...report } = parsed!;
    const ruled = { ...report, ruling: findRuling(report, source) };
    const now = new Date(Date.UTC(2026, 10, 28, 10, minute));
    return mergeAlert(known, ruled, { source: 'ops', groupId: 'g', mayReuseStart: false }, now).row;
  };

  it('keeps the object of the episode, and replaces it with the next one', () => {
    const first = arrived({ alertId: 'id-1' }, null, 1);
    expect(first.objectId).toBe('id-1');
    const again = arrived({}, first, 2);
    expect(again.objectId).toBe('id-1');
    const over = arrived({ alertId: 'id-1', action: 'Close' }, again, 3);
    expect(over).toMatchObject({ objectId: 'id-1', state: 'RESOLVED' });
    expect(arrived({ alertId: 'id-2' }, over, 4).objectId).toBe('id-2');
    expect(arrived({}, over, 5).objectId).toBeNull();
  });
});
