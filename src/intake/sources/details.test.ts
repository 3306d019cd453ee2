import { describe, expect, it } from 'vitest';
import { severityOf } from '../../engine/alert/severity.ts';
import { read } from '../fixtures/delivery.ts';

const only = (...args: Parameters<typeof read>) => {
  const { alerts } = read(...args);
  expect(alerts).toHaveLength(1);
  return alerts[0]!;
};

describe('a severity', () => {
  const WORDS = {
    CRITICAL: [
      'P0',
      'sev-0',
      'Urgent',
      'emerg',
      'critical,page',
      'S0',
      'SEV 0',
      '1 - Critical',
      'Highest',
      'Blocker',
      'PANIC',
    ],
    ERROR: ['SEV-1', '2 - High', 'S1', 'failure', 'Severity 1', 'P2 (high)', 'Major'],
    WARNING: ['S2', 'Priority 3', 'warning;ticket', 'Moderate', 'sev_2'],
    INFO: ['S3', 'Sev5', 'Lowest', 'P5 - Planning', 'Trivial'],
    UNKNOWN: ['not critical', 'non-critical', 'S3 bucket', '7', '', 'tier one', `critical ${'x'.repeat(80)}`],
  };

  it.each(Object.entries(WORDS).flatMap(([severity, words]) => words.map((word) => [word, severity])))(
    'written as %j is %s',
    (word, severity) => {
      expect(severityOf(word)).toBe(severity);
      expect(only('generic', { title: 'Disk', fingerprint: 'a', severity: word }).severity).toBe(severity);
    },
  );

  it('of a priority that PagerDuty’s urgency contradicts is that of the priority', () => {
    const data = { id: 'X', title: 'Slow', urgency: 'low', priority: { summary: 'P0' } };
    expect(only('pagerduty', { event: { event_type: 'incident.triggered', data } }).severity).toBe(
      'CRITICAL',
    );
  });
});

describe('an alert of Prometheus or Grafana without a name', () => {
  const alert = (labels: object, annotations: object) => ({
    ...{ status: 'firing', labels, annotations, startsAt: '2026-11-26T09:05:00Z', fingerprint: 'f1' },
  });
  const titleOf = (type: 'grafana' | 'alertmanager', labels: object, annotations: object) =>
    only(type, { groupKey: '{}:{}', groupLabels: {}, alerts: [alert(labels, annotations)] }).title;

  it.each(['grafana', 'alertmanager'] as const)('of %s is titled by what it says', (type) => {
    const folder = { grafana_folder: 'Prod', severity: 'critical' };
    expect(titleOf(type, folder, { summary: 'CPU of web-1 above 90 %', description: 'x' })).toBe(
      'CPU of web-1 above 90 %',
    );
    expect(titleOf(type, folder, { description: 'It is slow' })).toBe('It is slow');
    expect(titleOf(type, folder, {})).toBe('Prod');
    expect(titleOf(type, {}, {})).toBe('Alert');
    expect(titleOf(type, { alertname: 'Cpu' }, { summary: 'x' })).toBe('Cpu');
  });
});

describe('a CloudWatch alarm', () => {
  const headers = { 'x-amz-sns-rawdelivery': 'true' };
  const alarm = (more: Record<string, unknown> = {}) => ({
    ...{
      AlarmName: 'share of 5xx',
      AlarmArn: 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:share of 5xx',
    },
    ...{
      AWSAccountId: '123456789012',
      Region: 'EU (Ireland)',
      NewStateValue: 'ALARM',
      NewStateReason: '7.3 > 5',
    },
    AlarmTags: { severity: 'critical', team: 'shop' },
    Trigger: {
      Threshold: 5,
      Metrics: [
        { Id: 'e1', Expression: 'm1/m2*100', Label: '5xx %', ReturnData: true },
        {
          Id: 'm1',
          MetricStat: {
            Stat: 'Sum',
            Metric: {
              ...{ Namespace: 'AWS/ApplicationELB', MetricName: 'HTTPCode_Target_5XX_Count' },
              Dimensions: [{ name: 'LoadBalancer', value: 'app/shop/1' }],
            },
          },
        },
      ],
    },
    ...more,
  });

  it('of expressions has the labels of its metrics, its tags and a link', () => {
    expect(only('cloudwatch', alarm(), { headers })).toMatchObject({
      severity: 'CRITICAL',
      labels: {
        ...{
          LoadBalancer: 'app/shop/1',
          namespace: 'AWS/ApplicationELB',
          metric: 'HTTPCode_Target_5XX_Count',
        },
        ...{ team: 'shop', severity: 'critical', region: 'eu-west-1' },
      },
      annotations: { expression: 'm1/m2*100', threshold: '5' },
      url: 'https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1#alarmsV2:alarm/share%20of%205xx',
    });
  });

  it.each([
    ['arn:aws-cn:cloudwatch:cn-north-1:1:alarm:a', 'https://cn-north-1.console.amazonaws.cn/cloudwatch/home'],
    [
      'arn:aws-us-gov:cloudwatch:us-gov-west-1:1:alarm:a',
      'https://us-gov-west-1.console.amazonaws-us-gov.com/cloudwatch/home',
    ],
  ])('with %s links to its partition', (arn, url) => {
    expect(only('cloudwatch', alarm({ AlarmArn: arn }), { headers }).url).toContain(url);
  });

  it.each(['arn:other:cloudwatch:x:1:alarm:a', 'arn:aws:cloudwatch:evil.example.com/:1:alarm:a', undefined])(
    'with %s has no link',
    (arn) => {
      expect(only('cloudwatch', alarm({ AlarmArn: arn }), { headers }).url).toBeNull();
    },
  );

  it('of several metrics names all of them', () => {
    const metric = (name: string) => ({ MetricStat: { Metric: { Namespace: 'AWS/SQS', MetricName: name } } });
    const Trigger = { Metrics: [metric('Sent'), metric('Deleted')] };
    expect(only('cloudwatch', alarm({ Trigger, AlarmTags: undefined }), { headers })).toMatchObject({
      ...{ severity: 'UNKNOWN', labels: { namespace: 'AWS/SQS', metric: 'Sent, Deleted' } },
    });
  });
});

describe('an event of Sentry', () => {
  const frame = (n: number) => ({
    filename: `shop/f${n}.py`,
    lineno: n,
    function: `f${n}`,
    context_line: ' raise X()',
    in_app: true,
  });
  const event = (more: Record<string, unknown>) => ({
    action: 'triggered',
    data: {
      triggered_rule: 'New errors',
      event: {
        event_id: 'e1',
        issue_id: '4411',
        title: 'TimeoutError: upstream took 3 s',
        level: 'error',
        ...more,
      },
    },
  });
  const annotationsOf = (more: Record<string, unknown>) =>
    only('sentry', event(more), { headers: { 'sentry-hook-resource': 'event_alert' } }).annotations;
  const exception = (frames: unknown[]) => ({
    values: [{ type: 'TimeoutError', value: 'upstream took 3 s', stacktrace: { frames } }],
  });

  it('shows where it broke, the request and the last breadcrumbs', () => {
    const shown = annotationsOf({
      exception: exception([frame(7), frame(41)]),
      request: { method: 'POST', url: 'https://shop.example.com/pay' },
      breadcrumbs: {
        values: [{ category: 'query', level: 'info', message: 'select 1', timestamp: 1763805600 }],
      },
    });
    expect(shown.exception).toBe(
      [
        'TimeoutError: upstream took 3 s',
        '  at f41 (shop/f41.py:41) [own code]: raise X()',
        '  at f7 (shop/f7.py:7) [own code]: raise X()',
      ].join('\n'),
    );
    expect(shown).toMatchObject({
      request: 'POST https://shop.example.com/pay',
      breadcrumbs: '2025-11-22T10:00:00.000Z query info select 1',
    });
  });

  it('is read from entries, and limited', () => {
    const frames = Array.from({ length: 50 }, (_, n) => frame(n));
    const values = Array.from({ length: 30 }, (_, n) => ({ message: `crumb ${n}` }));
    const shown = annotationsOf({
      entries: [
        { type: 'exception', data: exception(frames) },
        { type: 'breadcrumbs', data: { values } },
      ],
    });
    expect(shown.exception!.split('\n')).toHaveLength(14);
    expect(shown.exception).toMatch(/f49 [\s\S]*and 38 more frames$/);
    expect(shown.breadcrumbs!.split('\n')).toEqual(values.slice(-10).map(({ message }) => message));
  });

  it.each([
    { exception: 'none' },
    { exception: { values: [{}] } },
    { breadcrumbs: [] },
    { request: { url: 7 } },
  ])('of another form is still an alert: %j', (more) => {
    expect(annotationsOf(more).event_id).toBe('e1');
  });
});

describe('a link to the console', () => {
  const azure = (id: string, context: unknown) =>
    only('azure-monitor', {
      schemaId: 'azureMonitorCommonAlertSchema',
      data: { essentials: { alertId: id, alertRule: 'r', monitorCondition: 'Fired' }, alertContext: context },
    });

  it('of Azure leads to the search results, else to the alert', () => {
    const link = 'https://portal.azure.com/#view/logs/abc';
    const allOf = [
      { dimensions: [{ name: 'PodName', value: 'checkout-1' }], linkToFilteredSearchResultsUI: link },
    ];
    expect(azure('/subscriptions/s/alerts/a', { condition: { allOf } })).toMatchObject({
      ...{ url: link, labels: { PodName: 'checkout-1' } },
    });
    expect(azure('/subscriptions/s/alerts/a', {}).url).toMatch(
      /^https:\/\/portal\.azure\.com\/#.*%2Fsubscriptions%2Fs%2Falerts%2Fa$/,
    );
    expect(azure('a', {}).url).toBeNull();
  });

  it('of Zabbix is made of its address and event', () => {
    const body = { event_name: 'Disk', event_id: '9', trigger_id: '7', zabbix_url: 'https://z.example.com/' };
    expect(only('zabbix', body).url).toBe('https://z.example.com/tr_events.php?triggerid=7&eventid=9');
    expect(only('zabbix', { ...body, zabbix_url: '{$ZABBIX.URL}' }).url).toBeNull();
  });

  it('of Jira leads to the page of the issue', () => {
    const self = 'https://acme.atlassian.net/rest/api/2/issue/10001';
    expect(only('jira', { issue: { key: 'OPS-1', self, fields: { summary: 'Down' } } }).url).toBe(
      'https://acme.atlassian.net/browse/OPS-1',
    );
  });
});

it('notes at most 20 things about one delivery', () => {
  const alerts = Array.from({ length: 25 }, (_, n) => ({
    title: `Alert ${n}`,
    labels: Object.fromEntries(Array.from({ length: 201 + n }, (_, label) => [`l${label}`, 'x'])),
  }));
  expect(read('generic', alerts).notes).toHaveLength(20);
});
