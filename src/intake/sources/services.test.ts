import { describe, expect, it } from 'vitest';
import { HOSTILE, read } from '../fixtures/delivery.ts';

describe('sentry', () => {
  const hook = (resource: string) => ({ headers: { 'sentry-hook-resource': resource } });
  const eventAlert = (event: Record<string, unknown> = {}) => ({
    action: 'triggered',
    data: {
      event: {
        title: 'TypeError: x is undefined',
        level: 'error',
        issue_id: '1170820242',
        event_id: 'e4874d664c3540c1a32eab185f12c5ab',
        web_url: 'https://sentry.io/organizations/o/issues/1170820242/events/e/',
        culprit: 'app.js in pay',
        datetime: '2026-11-22T10:00:00.000000Z',
        tags: [
          ['browser', 'Firefox'],
          ['env', 'prod'],
        ],
        release: null,
        project: 1,
        ...event,
      },
      triggered_rule: 'Very important',
    },
  });
  const metricAlert = (action: string) => ({
    action,
    data: {
      metric_alert: {
        id: '4',
        title: 'Too many errors',
        date_started: '2026-11-22T10:00:00Z',
        date_closed: action === 'resolved' ? '2026-11-22T10:10:00Z' : null,
        alert_rule: { id: '7', name: 'Errors', aggregate: 'count()', query: 'level:error' },
      },
      description_title: 'Critical: Too many errors',
      description_text: '1000 events in the last 10 minutes',
      web_url: 'https://sentry.io/alerts/4/',
    },
  });

  it('reads an event alert', () => {
    expect(read('sentry', eventAlert(), hook('event_alert')).alerts).toMatchObject([
      {
        fingerprint: 'issue:1170820242',
        group: 'issue:1170820242',
        title: 'TypeError: x is undefined',
        severity: 'ERROR',
        state: 'FIRING',
        labels: {
          browser: 'Firefox',
          env: 'prod',
          project: '1',
          culprit: 'app.js in pay',
          rule: 'Very important',
        },
        startsAt: null,
      },
    ]);
  });

  it('resolves an event alert when its issue is resolved', () => {
    const issue = (action: string) => ({
      action,
      data: { issue: { id: '1170820242', title: 'T', level: 'fatal' } },
    });
    expect(read('sentry', issue('resolved'), hook('issue')).alerts).toMatchObject([
      { fingerprint: 'issue:1170820242', state: 'RESOLVED', severity: 'CRITICAL' },
    ]);
    expect(read('sentry', issue('assigned'), hook('issue')).alerts).toEqual([]);
  });

  it('reads a metric alert, firing and resolved', () => {
    expect(read('sentry', metricAlert('critical'), hook('metric_alert')).alerts).toMatchObject([
      {
        fingerprint: 'metric:4',
        title: 'Critical: Too many errors',
        severity: 'CRITICAL',
        state: 'FIRING',
        endsAt: null,
      },
    ]);
    expect(read('sentry', metricAlert('resolved'), hook('metric_alert')).alerts).toMatchObject([
      { state: 'RESOLVED', endsAt: new Date('2026-11-22T10:10:00Z') },
    ]);
  });

  it('accepts other webhooks and changes nothing', () => {
    for (const resource of ['installation', 'error', 'comment'])
      expect(read('sentry', { action: 'created', data: {} }, hook(resource)).alerts).toEqual([]);
  });

  it('detects the kind of a webhook without the header, and reads it without optional fields', () => {
    expect(read('sentry', { action: 'triggered', data: { event: { issue_id: 7 } } }).alerts).toMatchObject([
      { fingerprint: 'issue:7', title: 'Alert without a title', severity: 'UNKNOWN' },
    ]);
    expect(read('sentry', metricAlert('warning')).alerts[0]!.severity).toBe('WARNING');
  });

  it('keeps hostile text as text, and reports where a body is wrong', () => {
    const [hostile] = read(
      'sentry',
      eventAlert({ title: HOSTILE, tags: [HOSTILE, [HOSTILE, HOSTILE], null] }),
    ).alerts;
    expect(Object.keys(hostile!.labels)).toContain(HOSTILE.replace('\0', '\ufffd'));
    expect(() => read('sentry', { data: {} })).toThrow('$.action: is required');
    expect(() => read('sentry', { action: 'x', data: {} }, hook('metric_alert'))).toThrow(
      '$.data.metric_alert: is required',
    );
  });
});

describe('newrelic', () => {
  const issue = (more: Record<string, unknown> = {}) => ({
    id: 'a64ab9f6-68ac-4ef6-bdab-1d2b0f7c2f5e',
    issueUrl: 'https://radar-api.service.newrelic.com/accounts/1/issues/x',
    title: 'Memory Used % > 90 for at least 2 minutes',
    priority: 'CRITICAL',
    impactedEntities: ['web-1', 'web-2'],
    totalIncidents: 1,
    state: 'ACTIVATED',
    trigger: 'INCIDENT_ADDED',
    isCorrelated: 'false',
    createdAt: 1763805600000,
    updatedAt: 1763805900000,
    sources: ['newrelic'],
    alertPolicyNames: ['Golden signals'],
    alertConditionNames: ['Memory'],
    workflowName: 'to tarsy',
    ...more,
  });

  it('reads an open issue', () => {
    expect(read('newrelic', issue()).alerts).toMatchObject([
      {
        fingerprint: 'a64ab9f6-68ac-4ef6-bdab-1d2b0f7c2f5e',
        severity: 'CRITICAL',
        state: 'FIRING',
        labels: {
          policy: 'Golden signals',
          condition: 'Memory',
          entities: 'web-1, web-2',
          source: 'newrelic',
          workflow: 'to tarsy',
        },
        startsAt: new Date(1763805600000),
        endsAt: null,
      },
    ]);
  });

  it.each(['CLOSED', 'RESOLVED', 'closed'])('reads a closed issue: %s', (state) => {
    expect(read('newrelic', issue({ state })).alerts).toMatchObject([
      { state: 'RESOLVED', endsAt: new Date(1763805900000) },
    ]);
  });

  it.each(['CREATED', 'ACKNOWLEDGED', undefined])('keeps an issue firing: %s', (state) => {
    expect(read('newrelic', issue({ state })).alerts).toMatchObject([{ state: 'FIRING' }]);
  });

  it('reads the older incident template', () => {
    const old = {
      incident_id: 42,
      current_state: 'open',
      condition_name: 'High CPU',
      policy_name: 'P',
      severity: 'WARNING',
      timestamp: 1763805600000,
    };
    expect(read('newrelic', old).alerts).toMatchObject([
      {
        fingerprint: '42',
        title: 'High CPU',
        severity: 'WARNING',
        labels: { policy: 'P' },
        startsAt: new Date(1763805600000),
      },
    ]);
  });

  it('reads issues without optional fields, and lists in place of texts', () => {
    expect(
      read('newrelic', { id: 'x', title: ['First', 'Second'], impactedEntities: 'web-1' }).alerts,
    ).toMatchObject([{ title: 'First', labels: { entities: 'web-1' } }]);
  });

  it('keeps hostile text as text, and reports where a body is wrong', () => {
    expect(read('newrelic', issue({ title: HOSTILE })).alerts[0]!.title).toContain('{{.SECRET}}');
    expect(() => read('newrelic', { title: 'x' })).toThrow('$.id: is required');
    expect(() => read('newrelic', '[]')).toThrow('$: expected a mapping, got a list');
  });
});

describe('datadog', () => {
  /** A body as the template of docs/how-to/alert-sources/datadog.md renders it. */
  const monitor = (more: Record<string, unknown> = {}) => ({
    title: 'CPU is high on host:web-1',
    severity: 'P2',
    type: 'error',
    state: 'Triggered',
    monitor: '1234',
    scope: 'host:web-1,env:prod',
    episode: '98765',
    tags: 'env:prod,host:web-1,monitor,url:http://a:80',
    annotations: {
      message: 'It is high',
      query: 'avg(last_5m):avg:system.cpu.user{*} > 90',
      snapshot: '$SNAPSHOT',
    },
    starts_at: '1763805600000',
    url: 'https://app.datadoghq.com/event/event?id=1',
    ...more,
  });

  it('reads a triggered monitor', () => {
    const [triggered] = read('datadog', monitor()).alerts;
    expect(triggered).toMatchObject({
      episode: '98765',
      severity: 'ERROR',
      state: 'FIRING',
      labels: {
        env: 'prod',
        host: 'web-1',
        monitor: '1234',
        url: 'http://a:80',
        scope: 'host:web-1,env:prod',
      },
      annotations: { message: 'It is high', query: 'avg(last_5m):avg:system.cpu.user{*} > 90' },
      reportedAt: new Date(1763805600000),
    });
    expect(triggered!.annotations).not.toHaveProperty('snapshot');
  });

  it('reads a recovery as the same alert, and other scopes as other alerts of the group', () => {
    const [one] = read('datadog', monitor()).alerts;
    const [end] = read('datadog', monitor({ state: 'Recovered' })).alerts;
    const [other] = read('datadog', monitor({ scope: 'host:web-2' })).alerts;
    expect(end).toMatchObject({ state: 'RESOLVED', fingerprint: one!.fingerprint });
    expect(other!.fingerprint).not.toBe(one!.fingerprint);
    expect(other!.group).toBe(one!.group);
  });

  it('reads no start from a notification, and the end from the one about the recovery', () => {
    for (const state of ['Triggered', 'Re-Triggered', 'Renotify', 'Re-Warn'])
      expect(read('datadog', monitor({ state })).alerts).toMatchObject([
        { state: 'FIRING', startsAt: null, endsAt: null },
      ]);
    expect(read('datadog', monitor({ state: 'Recovered' })).alerts).toMatchObject([
      { startsAt: null, endsAt: new Date(1763805600000) },
    ]);
  });

  it('treats missing data as firing, with a label', () => {
    expect(read('datadog', monitor({ state: 'No Data' })).alerts).toMatchObject([
      { state: 'FIRING', labels: { no_data: 'true' } },
    ]);
  });

  it('treats variables that Datadog does not know as missing', () => {
    const [left] = read(
      'datadog',
      monitor({
        severity: '$ALERT_PRIORITY',
        scope: '$ALERT_SCOPE',
        monitor: '$ALERT_ID',
        tags: '',
        episode: '$X',
        type: 'warning',
      }),
    ).alerts;
    expect(left).toMatchObject({ severity: 'WARNING', episode: null });
    expect(left!.labels).toEqual({});
    expect(left!.fingerprint).toMatch(/^sha256:/);
  });

  it('reads a form, and keeps hostile text as text', () => {
    const form = new URLSearchParams({ title: HOSTILE, state: 'Triggered', monitor: '7' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(read('datadog', form, { headers }).alerts).toMatchObject([
      { state: 'FIRING', labels: { monitor: '7' }, title: expect.stringContaining('<script>') },
    ]);
    expect(() => read('datadog', '"text"')).toThrow('$: expected a mapping, got a string');
  });
});
