import { describe, expect, it } from 'vitest';
import type { GenericMapping } from '../../config/types.ts';
import { HOSTILE, read } from '../fixtures/delivery.ts';

describe('zabbix', () => {
  /** A body as the media type of docs/how-to/alert-sources/zabbix.md sends it. */
  const problem = (more: Record<string, unknown> = {}) => ({
    title: 'Disk space is low on db-03',
    severity: '4',
    state: '1',
    fingerprint: '23140/db-03',
    episode: '98122',
    labels: { host: 'db-03', ip: '10.0.0.3', trigger: '23140' },
    tags: '[{"tag":"team","value":"storage"},{"tag":"disk","value":""}]',
    annotations: { description: '/var at 97 %', runbook: '{TRIGGER.DESCRIPTION}' },
    url: 'https://zabbix.example.com/tr_events.php?eventid=98122',
    ...more,
  });

  it('reads a problem', () => {
    expect(read('zabbix', problem()).alerts).toEqual([
      {
        fingerprint: expect.stringMatching(/^sha256:/),
        groupKey: '23140/db-03',
        group: '23140/db-03',
        episode: '98122',
        title: 'Disk space is low on db-03',
        severity: 'ERROR',
        state: 'FIRING',
        labels: { host: 'db-03', ip: '10.0.0.3', trigger: '23140', team: 'storage', disk: 'true' },
        annotations: { description: '/var at 97 %' },
        startsAt: null,
        endsAt: null,
        url: 'https://zabbix.example.com/tr_events.php?eventid=98122',
        objectId: '98122',
      },
    ]);
  });

  it('reads the recovery of a problem', () => {
    expect(read('zabbix', problem({ state: '0' })).alerts).toMatchObject([
      { state: 'RESOLVED', episode: '98122' },
    ]);
  });

  it.each([...['INFO', 'INFO', 'WARNING', 'WARNING', 'ERROR', 'CRITICAL'].entries()])(
    'maps severity %s to %s',
    (number, word) => {
      expect(read('zabbix', problem({ severity: number })).alerts[0]!.severity).toBe(word);
    },
  );

  it('treats macros that Zabbix could not resolve as missing', () => {
    const left = problem({
      episode: '{EVENT.ID}',
      url: '{$ZABBIX.URL}',
      starts_at: '{DATE} {TIME}',
      labels: { host: '{HOST.NAME}' },
    });
    expect(read('zabbix', left).alerts).toMatchObject([{ episode: null, url: null, startsAt: null }]);
    expect(read('zabbix', left).alerts[0]!.labels).not.toHaveProperty('host');
  });

  it('reads a problem without optional fields, and with invalid tags', () => {
    for (const tags of ['{EVENT.TAGSJSON}', 'no json', '{"a":1}', '[null]', '[{"tag":7}]'])
      expect(read('zabbix', { title: 'x', tags }).alerts).toMatchObject([
        { title: 'x', state: 'FIRING', labels: {} },
      ]);
  });

  it('keeps hostile text as text', () => {
    expect(read('zabbix', problem({ title: HOSTILE })).alerts[0]!.title).toContain('{{.SECRET}}');
    expect(() => read('zabbix', '7')).toThrow('$: expected a mapping, got a number');
  });
});

describe('cloudevents', () => {
  const event = (more: Record<string, unknown> = {}) => ({
    specversion: '1.0',
    id: 'A234-1234',
    source: '/mycontext',
    type: 'com.example.disk.full',
    subject: 'db-03',
    time: '2026-11-22T10:00:00Z',
    data: { title: 'Disk full', severity: 'critical', labels: { host: 'db-03' } },
    ...more,
  });

  it('reads a structured event', () => {
    const headers = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
    const { alerts, deliveryKey } = read('cloudevents', event(), { headers });
    expect(deliveryKey).toBe('["/mycontext","A234-1234"]');
    expect(alerts).toMatchObject([
      {
        title: 'Disk full',
        severity: 'CRITICAL',
        state: 'FIRING',
        labels: {
          host: 'db-03',
          ce_source: '/mycontext',
          ce_type: 'com.example.disk.full',
          ce_subject: 'db-03',
        },
      },
    ]);
  });

  it('reads a binary event with attributes in percent-encoded headers', () => {
    const headers = {
      'content-type': 'application/json',
      'ce-specversion': '1.0',
      'ce-id': '1',
      'ce-source': '/my%20context',
      'ce-type': 't',
      'ce-subject': 'gr%C3%B6%C3%9Fe',
    };
    expect(read('cloudevents', { state: 'resolved' }, { headers }).alerts).toMatchObject([
      { title: 'größe', state: 'RESOLVED', labels: { ce_source: '/my context' } },
    ]);
    const { 'ce-id': _, ...withoutId } = headers;
    expect(() => read('cloudevents', {}, { headers: withoutId })).toThrow('header ce-id: is required');
  });

  it('reads a batch of at most 100 events', () => {
    const batch = (count: number) =>
      Array.from({ length: count }, (_, index) => event({ id: `${index}`, subject: `s${index}` }));
    expect(read('cloudevents', batch(100)).alerts).toHaveLength(100);
    expect(read('cloudevents', batch(2)).deliveryKey).toBe('[["/mycontext","0"],["/mycontext","1"]]');
    expect(() => read('cloudevents', batch(101))).toThrow(
      '$: the batch has 101 events; at most 100 are accepted',
    );
  });

  it('identifies an alert by its fingerprint, or else by source, type and subject', () => {
    const key = (more: Record<string, unknown>) => read('cloudevents', event(more)).alerts[0]!.fingerprint;
    expect(key({ id: '2' })).toBe(key({ id: '3' }));
    expect(key({ subject: 'db-04' })).not.toBe(key({}));
    expect(key({ data: { fingerprint: 'mine' } })).toBe('mine');
  });

  it('reads data in base64, data that is text, and no data', () => {
    const encoded = Buffer.from(JSON.stringify({ title: 'Encoded' })).toString('base64');
    expect(read('cloudevents', event({ data: undefined, data_base64: encoded })).alerts[0]!.title).toBe(
      'Encoded',
    );
    expect(read('cloudevents', event({ data: 'It broke' })).alerts).toMatchObject([
      { title: 'db-03', annotations: { data: 'It broke' } },
    ]);
    expect(read('cloudevents', event({ data: undefined, subject: undefined })).alerts[0]!.title).toBe(
      'com.example.disk.full',
    );
  });

  it('keeps hostile text as text, and reports where an event is wrong', () => {
    expect(
      read('cloudevents', event({ data: { title: HOSTILE, url: 'data:text/html,x' } })).alerts[0],
    ).toMatchObject({ url: null });
    expect(() => read('cloudevents', event({ source: '' }))).toThrow('$.source: expected text, got a string');
    expect(() => read('cloudevents', [{}])).toThrow('$[0].specversion: is required');
  });
});

describe('generic', () => {
  const NOTHING: GenericMapping = {
    alerts: null,
    title: null,
    severity: null,
    state: null,
    fingerprint: null,
    group: null,
    episode: null,
    object: null,
    startsAt: null,
    endsAt: null,
    reportedAt: null,
    url: null,
    labels: null,
    annotations: null,
    severities: null,
    resolvedValues: null,
    ignoredValues: null,
  };
  const own = (more: Record<string, unknown> = {}) => ({
    title: 'Backup failed',
    severity: 'high',
    state: 'firing',
    fingerprint: 'backup/db-03',
    labels: { host: 'db-03', attempt: 3 },
    annotations: { text: 'exit 1' },
    starts_at: '2026-11-22T10:00:00+01:00',
    url: 'https://example.com/backup',
    ...more,
  });

  it('reads the template keys', () => {
    expect(read('generic', own()).alerts).toEqual([
      {
        fingerprint: 'backup/db-03',
        groupKey: null,
        group: 'backup/db-03',
        episode: null,
        title: 'Backup failed',
        severity: 'ERROR',
        state: 'FIRING',
        labels: { host: 'db-03', attempt: '3' },
        annotations: { text: 'exit 1' },
        startsAt: new Date('2026-11-22T09:00:00Z'),
        endsAt: null,
        url: 'https://example.com/backup',
      },
    ]);
  });

  it.each(['resolved', 'OK', 'Recovered', 'closed'])('reads a resolved alert: %s', (state) => {
    expect(read('generic', own({ state, ends_at: 1763805600 })).alerts).toMatchObject([
      { state: 'RESOLVED', endsAt: new Date(1763805600000) },
    ]);
  });

  it('reads a list, and treats an unknown state as firing', () => {
    const { alerts } = read('generic', [own(), own({ fingerprint: 'b', state: 'strange' })]);
    expect(alerts.map(({ fingerprint, state }) => [fingerprint, state])).toEqual([
      ['backup/db-03', 'FIRING'],
      ['b', 'FIRING'],
    ]);
  });

  it('uses the paths of the configuration', () => {
    const mapping: GenericMapping = {
      ...NOTHING,
      alerts: '$.events[*].alerts[*]',
      title: '$.check["display name"]',
      severity: '$.levels[0]',
      state: '$.status',
      labels: { host: '$.check.host', missing: '$.nowhere[3].x' },
      annotations: '$.details',
      group: '$.check.host',
      startsAt: '$.at',
      resolvedValues: ['Fine'],
    };
    const body = {
      events: [
        {
          alerts: [
            {
              check: { 'display name': 'Ping', host: 'a' },
              levels: ['P3'],
              status: 'FINE',
              details: { x: 1 },
            },
          ],
        },
        {
          alerts: [
            { check: { 'display name': 'Disk', host: 'b' }, levels: ['P1'], status: 'ok', at: 1763805600 },
          ],
        },
      ],
    };
    expect(read('generic', body, { source: { mapping } }).alerts).toMatchObject([
      {
        title: 'Ping',
        severity: 'WARNING',
        state: 'RESOLVED',
        group: 'a',
        labels: { host: 'a' },
        annotations: { x: '1' },
      },
      { title: 'Disk', severity: 'CRITICAL', state: 'FIRING', group: 'b', startsAt: new Date(1763805600000) },
    ]);
    expect(() => read('generic', { events: 1 }, { source: { mapping } })).toThrow(
      '$.events: expected a list, got a number',
    );
  });

  it('identifies an alert without a fingerprint by title and labels', () => {
    const key = (more: Record<string, unknown>) =>
      read('generic', own({ fingerprint: undefined, ...more })).alerts[0]!.fingerprint;
    expect(key({ severity: 'low' })).toBe(key({}));
    expect(key({ labels: { host: 'db-04' } })).not.toBe(key({}));
    expect(key({ title: 'a', labels: { b: 'c' } })).not.toBe(key({ title: 'ab', labels: { '': 'c' } }));
  });

  it('keeps hostile text as text, and refuses values that are no mapping', () => {
    const [hostile] = read(
      'generic',
      own({ title: HOSTILE, labels: { [HOSTILE]: HOSTILE }, fingerprint: HOSTILE }),
    ).alerts;
    expect(hostile!.fingerprint).toMatch(/^sha256:/);
    expect(() => read('generic', '[1]')).toThrow('$[0]: expected a mapping, got a number');
    expect(
      read(
        'generic',
        `${'['.repeat(100_000)}${']'.repeat(100_000)}`.replace('[', '[{"labels":{"a":').replace(/\]$/, '}}]'),
      ).alerts,
    ).toMatchObject([{ labels: { a: expect.any(String) } }]);
  });
});
