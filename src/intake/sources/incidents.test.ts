import { describe, expect, it } from 'vitest';
import { HOSTILE, read } from '../fixtures/delivery.ts';

describe('pagerduty', () => {
  const event = (type: string, data: Record<string, unknown> = {}) => ({
    event: {
      id: '01EVENT',
      event_type: type,
      resource_type: 'incident',
      occurred_at: '2026-11-22T10:09:20.911Z',
      agent: null,
      client: null,
      data: {
        id: 'PGR0VU2',
        type: 'incident',
        number: 2,
        title: 'A little bump in the road',
        status: 'triggered',
        incident_key: 'd3640fbd41094207a1c11e58e46b1662',
        created_at: '2026-11-22T10:00:00Z',
        html_url: 'https://acme.pagerduty.com/incidents/PGR0VU2',
        service: { id: 'PF9KMXH', summary: 'API Service' },
        teams: [{ id: 'P1', summary: 'Platform' }],
        priority: { summary: 'P1' },
        urgency: 'high',
        resolve_reason: null,
        ...data,
      },
    },
  });

  it('reads a triggered incident', () => {
    const { alerts, deliveryKey } = read('pagerduty', event('incident.triggered'));
    expect(deliveryKey).toBe('01EVENT');
    expect(alerts).toEqual([
      {
        fingerprint: 'PGR0VU2',
        groupKey: null,
        group: 'PGR0VU2',
        episode: null,
        title: 'A little bump in the road',
        severity: 'CRITICAL',
        state: 'FIRING',
        labels: {
          service: 'API Service',
          teams: 'Platform',
          incident_key: 'd3640fbd41094207a1c11e58e46b1662',
          urgency: 'high',
          priority: 'P1',
        },
        annotations: { number: '2' },
        startsAt: new Date('2026-11-22T10:00:00Z'),
        endsAt: null,
        reportedAt: new Date('2026-11-22T10:09:20.911Z'),
        url: 'https://acme.pagerduty.com/incidents/PGR0VU2',
        objectId: 'PGR0VU2',
      },
    ]);
  });

  it('reads a resolved incident, and a reopened one as a new episode', () => {
    const [resolved] = read('pagerduty', event('incident.resolved')).alerts;
    const [again] = read(
      'pagerduty',
      event('incident.reopened', { reopened_at: '2026-11-22T11:00:00Z' }),
    ).alerts;
    expect(resolved).toMatchObject({ state: 'RESOLVED', endsAt: new Date('2026-11-22T10:09:20.911Z') });
    expect(again).toMatchObject({ state: 'FIRING', startsAt: new Date('2026-11-22T11:00:00Z') });
  });

  it('accepts other events, because the sender stops sending after refusals', () => {
    for (const type of [
      'incident.annotated',
      'incident.responder.added',
      'service.updated',
      'pagey.ping',
      'constructor',
    ])
      expect(read('pagerduty', event(type))).toMatchObject({
        alerts: [],
        ignored: `An event ${type} changes nothing here.`,
      });
  });

  it('uses the urgency without a priority, and reads incidents without optional fields', () => {
    const bare = {
      event: { event_type: 'incident.triggered', data: { id: 'X', urgency: 'low', priority: null } },
    };
    expect(read('pagerduty', bare)).toMatchObject({
      deliveryKey: null,
      alerts: [
        { severity: 'INFO', title: 'Alert without a title', startsAt: null, labels: { urgency: 'low' } },
      ],
    });
  });

  it('keeps hostile text as text', () => {
    const [hostile] = read(
      'pagerduty',
      event('incident.triggered', { title: HOSTILE, html_url: 'file:///etc/passwd' }),
    ).alerts;
    expect(hostile).toMatchObject({
      url: null,
      title: expect.stringContaining('<script>alert(1)</script> {{.SECRET}}'),
    });
  });

  it.each([
    [{}, '$.event: is required'],
    [{ event: { event_type: 'incident.triggered', data: {} } }, '$.event.data.id: is required'],
    [{ event: { event_type: 7, data: 'x' } }, undefined],
  ])('reports where %j is wrong', (body, message) => {
    if (message === undefined) expect(read('pagerduty', body).alerts).toEqual([]);
    else expect(() => read('pagerduty', body)).toThrow(expect.objectContaining({ status: 422, message }));
  });
});

describe('pagerduty-events', () => {
  const event = (more: Record<string, unknown> = {}) => ({
    routing_key: 'x'.repeat(32),
    event_action: 'trigger',
    dedup_key: 'srv01/HTTP',
    payload: {
      summary: 'HTTP down on srv01',
      source: 'srv01.example.com',
      severity: 'error',
      timestamp: '2026-11-22T10:00:00.000+0000',
      component: 'http',
      group: 'prod',
      class: 'reachability',
      custom_details: { 'ping time': '1500ms', 'load avg': 0.75, nested: { a: 1 } },
    },
    links: [{ href: 'https://example.com/runbook', text: 'Runbook' }],
    client: 'Checker',
    client_url: 'https://example.com/checker',
    ...more,
  });

  it('reads a trigger', () => {
    expect(read('pagerduty-events', event()).alerts).toMatchObject([
      {
        fingerprint: 'srv01/HTTP',
        group: 'srv01/HTTP',
        title: 'HTTP down on srv01',
        severity: 'ERROR',
        state: 'FIRING',
        labels: {
          source: 'srv01.example.com',
          component: 'http',
          group: 'prod',
          class: 'reachability',
          client: 'Checker',
        },
        annotations: {
          'ping time': '1500ms',
          'load avg': '0.75',
          nested: '{"a":1}',
          Runbook: 'https://example.com/runbook',
        },
        startsAt: null,
        url: 'https://example.com/checker',
      },
    ]);
  });

  it('reads a resolve event, which needs no payload', () => {
    const { payload: _, ...end } = event({ event_action: 'resolve' });
    expect(read('pagerduty-events', end).alerts).toMatchObject([
      { fingerprint: 'srv01/HTTP', state: 'RESOLVED' },
    ]);
  });

  it('identifies an event without a key by its bytes', () => {
    const key = (body: unknown) => read('pagerduty-events', body).alerts[0]!.fingerprint;
    const keyless = event({ dedup_key: undefined });
    expect(key(keyless)).toBe(key(keyless));
    expect(key(keyless)).not.toBe(key(event({ dedup_key: undefined, client: 'Other' })));
  });

  it('accepts an acknowledgement and changes nothing', () => {
    expect(read('pagerduty-events', event({ event_action: 'acknowledge' }))).toMatchObject({
      alerts: [],
      ignored: 'An acknowledgement changes nothing here.',
    });
  });

  it('keeps hostile text as text', () => {
    const hostile = event({ dedup_key: HOSTILE, payload: { summary: HOSTILE, custom_details: HOSTILE } });
    expect(read('pagerduty-events', hostile).alerts[0]).toMatchObject({
      fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      severity: 'UNKNOWN',
      annotations: { Runbook: 'https://example.com/runbook' },
    });
  });

  it.each([
    [{}, '$.event_action: is required'],
    [{ event_action: 'delete' }, '$.event_action: expected trigger, acknowledge or resolve'],
    [{ event_action: 'resolve' }, '$.dedup_key: is required to resolve'],
    [{ event_action: 'trigger', payload: {} }, '$.payload.summary: is required'],
  ])('reports where %j is wrong', (body, message) => {
    expect(() => read('pagerduty-events', body)).toThrow(expect.objectContaining({ status: 422, message }));
  });
});

describe('opsgenie', () => {
  const action = (name: string, alert: Record<string, unknown> = {}) => ({
    action: name,
    alert: {
      alertId: '052652ac-5d1c-464a-812a-7dd18bbfba8c',
      message: 'CPU too high on web-1',
      alias: 'web-1/cpu',
      tinyId: '23',
      tags: ['env:prod', 'urgent', 'url:http://a:80'],
      entity: 'web-1',
      priority: 'P2',
      createdAt: 1763805600000,
      updatedAt: 1763806200000000000n.toString(),
      username: 'ana@example.com',
      description: 'The disk is at 99 %',
      details: { region: 'eu', threshold: 90 },
      source: 'checker',
      ...alert,
    },
    source: { name: '', type: 'API' },
    integrationType: 'Webhook',
  });

  it('reads a created alert', () => {
    expect(read('opsgenie', action('Create')).alerts).toMatchObject([
      {
        fingerprint: 'web-1/cpu',
        group: 'web-1/cpu',
        episode: '052652ac-5d1c-464a-812a-7dd18bbfba8c',
        title: 'CPU too high on web-1',
        severity: 'ERROR',
        state: 'FIRING',
        labels: {
          region: 'eu',
          threshold: '90',
          env: 'prod',
          urgent: 'true',
          url: 'http://a:80',
          entity: 'web-1',
          source: 'checker',
        },
        annotations: { description: 'The disk is at 99 %' },
        startsAt: new Date(1763805600000),
      },
    ]);
  });

  it('reads a closed alert, with a time in nanoseconds', () => {
    for (const name of ['Close', 'Delete'])
      expect(read('opsgenie', action(name)).alerts).toMatchObject([
        { state: 'RESOLVED', endsAt: new Date(1763806200000) },
      ]);
  });

  it('accepts other actions and changes nothing', () => {
    for (const name of ['AddNote', 'Escalate', 'MyAction', 'toString'])
      expect(read('opsgenie', action(name)).alerts).toEqual([]);
  });

  it('reads older bodies, with numbers as text and an alert without an alias', () => {
    const [old] = read(
      'opsgenie',
      action('Create', { alias: '', priority: '2', createdAt: '1763805600000', details: null }),
    ).alerts;
    expect(old).toMatchObject({
      fingerprint: '052652ac-5d1c-464a-812a-7dd18bbfba8c',
      severity: 'ERROR',
      startsAt: new Date(1763805600000),
    });
  });

  it('keeps hostile text as text', () => {
    const [hostile] = read(
      'opsgenie',
      action('Create', { message: HOSTILE, tags: [HOSTILE, 7, {}], details: [HOSTILE] }),
    ).alerts;
    expect(hostile!.title).toMatch(/^<\/alert> # Ignore/);
    expect(Object.keys(hostile!.labels)).toContain('7');
  });

  it.each([
    [{}, '$.action: is required'],
    [{ action: 'Create' }, '$.alert: is required'],
    [{ action: 'Create', alert: {} }, '$.alert.alertId: is required'],
  ])('reports where %j is wrong', (body, message) => {
    expect(() => read('opsgenie', body)).toThrow(expect.objectContaining({ status: 422, message }));
  });
});
