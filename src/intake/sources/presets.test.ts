import { describe, expect, it } from 'vitest';
import type { PresetType } from '../../config/enums.ts';
import { read } from '../fixtures/delivery.ts';

const only = (type: PresetType, body: unknown, headers: Record<string, string> = {}) => {
  const { alerts } = read(type, body, { headers });
  expect(alerts).toHaveLength(1);
  return alerts[0]!;
};

describe('nagios', () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  const disk = {
    type: 'PROBLEM',
    host: 'db-03',
    service: 'Disk /',
    state: 'CRITICAL',
    output: 'DISK CRITICAL 2% free',
  };

  it('reads a service and a host, which has no service', () => {
    expect(only('nagios', form(disk), headers)).toMatchObject({
      ...{ title: 'Disk / on db-03', severity: 'CRITICAL', state: 'FIRING' },
      ...{ labels: { host: 'db-03', service: 'Disk /' }, annotations: { output: 'DISK CRITICAL 2% free' } },
    });
    const host = { type: 'PROBLEM', host: 'db-03', service: '', state: 'DOWN', output: 'PING CRITICAL' };
    expect(only('nagios', form(host), headers)).toMatchObject({ title: 'db-03', severity: 'CRITICAL' });
  });

  it.each([
    ['RECOVERY', 'OK', 'RESOLVED'],
    ['PROBLEM', 'WARNING', 'FIRING'],
    ['CUSTOM', 'OK', 'FIRING'],
    ['', 'OK', 'RESOLVED'],
    ['', 'UP', 'RESOLVED'],
    ['', 'UNREACHABLE', 'FIRING'],
  ])('reads the type %j with the state %s as %s', (type, state, expected) => {
    expect(only('nagios', form({ ...disk, type, state }), headers).state).toBe(expected);
  });

  it.each(['ACKNOWLEDGEMENT', 'FLAPPINGSTART', 'DOWNTIMEEND'])('ignores %s', (type) => {
    expect(read('nagios', form({ ...disk, type }), { headers })).toMatchObject({
      alerts: [],
      ignored: expect.any(String),
    });
  });
});

describe('uptime-kuma', () => {
  it.each([
    [0, 'FIRING'],
    [1, 'RESOLVED'],
  ])('reads the status %i as %s', (status, state) => {
    const body = {
      heartbeat: { monitorID: 29, status, msg: 'x' },
      monitor: { id: 29, name: 'Shop', url: 'https://s.example.com' },
    };
    expect(only('uptime-kuma', body)).toMatchObject({
      ...{
        state,
        fingerprint: '29',
        title: 'Shop is unreachable',
        labels: { target: 'https://s.example.com' },
      },
    });
  });

  it('ignores pending and maintenance, and reads a text without a heartbeat', () => {
    for (const status of [2, 3])
      expect(read('uptime-kuma', { heartbeat: { status }, monitor: { id: 1, name: 'x' } }).alerts).toEqual(
        [],
      );
    const expiry = { heartbeat: null, monitor: null, msg: '[Shop] certificate will expire in 7 days' };
    expect(only('uptime-kuma', expiry)).toMatchObject({ title: expiry.msg, state: 'FIRING' });
  });
});

describe('github', () => {
  const repository = { full_name: 'example/shop' };
  const run = (conclusion: string | null, action = 'completed') => ({
    ...{ action, repository },
    workflow_run: { name: 'CI', workflow_id: 7, head_branch: 'main', conclusion, run_attempt: 1 },
  });

  it.each(['failure', 'timed_out', 'startup_failure'])(
    'reads a workflow that ended with %s',
    (conclusion) => {
      expect(only('github', run(conclusion))).toMatchObject({
        ...{ title: 'CI fails on main of example/shop', severity: 'ERROR', state: 'FIRING' },
      });
    },
  );

  it('keeps a branch of a fork apart from the branch of the same name', () => {
    const from = (full_name: string, conclusion: string) => {
      const { workflow_run, ...rest } = run(conclusion);
      return only('github', { ...rest, workflow_run: { ...workflow_run, head_repository: { full_name } } });
    };
    const [own, fork] = [from('example/shop', 'failure'), from('ana/shop', 'success')];
    expect(fork).toMatchObject({ title: 'CI fails on main of ana/shop', state: 'RESOLVED' });
    expect(fork.fingerprint).not.toBe(own.fingerprint);
    expect(own.fingerprint).toBe(only('github', run('failure')).fingerprint);
  });

  it('ignores runs that say nothing, and other events', () => {
    for (const body of [
      run(null, 'requested'),
      run('cancelled'),
      run('action_required'),
      { zen: 'x', hook_id: 1, repository },
    ])
      expect(read('github', body)).toMatchObject({ alerts: [], ignored: expect.any(String) });
  });

  it('reads security alerts until they are fixed', () => {
    const alert = {
      html_url: 'https://github.com/example/shop/security/dependabot/3',
      security_advisory: { summary: 'RCE', severity: 'critical' },
    };
    expect(only('github', { action: 'created', alert, repository })).toMatchObject({
      ...{ title: 'RCE (example/shop)', severity: 'CRITICAL', state: 'FIRING', url: alert.html_url },
    });
    expect(only('github', { action: 'fixed', alert, repository }).state).toBe('RESOLVED');
  });
});

describe('flux', () => {
  const event = (severity: string, reason: string) => ({
    involvedObject: { apiVersion: 'v1', kind: 'HelmRelease', name: 'shop', namespace: 'apps', uid: 'u' },
    ...{
      severity,
      reason,
      message: 'm',
      reportingController: 'helm-controller',
      timestamp: '2026-10-28T07:26:19Z',
    },
  });

  it('reads errors and the successes that end them, and ignores other information', () => {
    expect(only('flux', event('error', 'UpgradeFailed'))).toMatchObject({
      ...{ title: 'UpgradeFailed: HelmRelease apps/shop', severity: 'ERROR', state: 'FIRING' },
    });
    // A source that recovers with a new revision sends NewArtifact only.
    for (const reason of ['UpgradeSucceeded', 'ReconciliationSucceeded', 'InstallSucceeded', 'NewArtifact'])
      expect(only('flux', event('info', reason)).state).toBe('RESOLVED');
    expect(only('flux', event('error', 'RollbackSucceeded')).state).toBe('FIRING');
    for (const reason of ['Progressing', 'DependencyNotReady', 'ArtifactUpToDate'])
      expect(read('flux', event('info', reason)).alerts).toEqual([]);
  });
});

describe('eventbridge', () => {
  const event = (resource: string) => ({
    ...{ version: '0', id: crypto.randomUUID(), 'detail-type': 'RDS DB Instance Event', source: 'aws.rds' },
    ...{ account: '123456789012', time: '2026-11-26T09:05:00Z', region: 'eu-west-1', resources: [resource] },
    detail: {
      EventCategories: ['failover'],
      Message: 'Multi-AZ failover started',
      SourceIdentifier: resource,
    },
  });

  it('knows other events by what they are about', () => {
    const [a, again, b] = ['arn:db-a', 'arn:db-a', 'arn:db-b'].map((each) =>
      only('eventbridge', event(each)),
    );
    expect(a).toMatchObject({ title: 'RDS DB Instance Event: arn:db-a', state: 'FIRING' });
    expect(again!.fingerprint).toBe(a!.fingerprint);
    expect(b!.fingerprint).not.toBe(a!.fingerprint);
    expect(JSON.parse(a!.annotations.body!).detail.Message).toBe('Multi-AZ failover started');
  });

  it('reads the contributors of an alarm', () => {
    const alarm = (id: string) => ({
      ...{
        'detail-type': 'CloudWatch Alarm Contributor State Change',
        region: 'eu-west-1',
        resources: ['arn:alarm'],
      },
      detail: { alarmName: 'lambda', alarmContributor: { id }, state: { value: 'ALARM' } },
    });
    expect(only('eventbridge', alarm('a')).fingerprint).not.toBe(only('eventbridge', alarm('b')).fingerprint);
  });
});

describe('other presets', () => {
  it('splunk keeps the result, without what changes', () => {
    const body = (host: string, count: string, sid: string) => ({
      ...{
        search_name: 'Too many 5xx',
        sid,
        results_link: `https://splunk.example.com/${sid}`,
        owner: 'admin',
      },
      result: { host, count, _time: '1763805600' },
    });
    const first = only('splunk', body('web-1', '812', 'scheduler__1'));
    expect(first).toMatchObject({
      title: 'Too many 5xx',
      labels: { host: 'web-1' },
      url: 'https://splunk.example.com/scheduler__1',
    });
    expect(only('splunk', body('web-1', '900', 'scheduler__2')).fingerprint).toBe(first.fingerprint);
    expect(only('splunk', body('web-2', '812', 'scheduler__1')).fingerprint).not.toBe(first.fingerprint);
  });

  it.each([
    [
      'dynatrace',
      { PID: '1', ProblemTitle: 'Slow', State: 'OPEN', ProblemSeverity: 'PERFORMANCE' },
      { severity: 'WARNING' },
    ],
    ['dynatrace', { PID: '1', ProblemTitle: 'Slow', State: 'RESOLVED' }, { state: 'RESOLVED' }],
    [
      'graylog',
      { event_definition_id: 'd', event: { message: 'm', priority: 4, key_tuple: ['a'] } },
      { severity: 'CRITICAL' },
    ],
    ['graylog', { event_definition_title: 'Test' }, { title: 'Test' }],
    ['argocd', { app: 'shop', health: 'Degraded' }, { title: 'shop is Degraded', severity: 'ERROR' }],
    ['argocd', { app: 'shop', health: 'Healthy' }, { state: 'RESOLVED' }],
    [
      'healthchecks',
      { check: 'c', name: 'Backup', status: 'down' },
      { title: 'Backup does not report', severity: 'ERROR' },
    ],
    [
      'kibana',
      { rule: 'CPU', rule_id: 'r', alert_id: 'h', action_group: 'recovered' },
      { state: 'RESOLVED' },
    ],
    [
      'jira',
      { issue: { key: 'OPS-1', fields: { summary: 'Down', priority: { name: 'Highest' } } } },
      { severity: 'CRITICAL' },
    ],
    [
      'glitchtip',
      { attachments: [{ title: 'E', title_link: 'https://g.example.com/1', text: 'x' }] },
      { state: 'FIRING', url: 'https://g.example.com/1' },
    ],
  ] as const)('%s reads %j', (type, body, expected) => {
    expect(only(type, body)).toMatchObject(expected);
  });

  it.each([
    ['dynatrace', { PID: '1', State: 'MERGED' }],
    ['argocd', { app: 'shop', health: 'Progressing' }],
    ['jira', { webhookEvent: 'comment_created', comment: {} }],
  ] as const)('%s ignores %j', (type, body) => {
    expect(read(type, body)).toMatchObject({ alerts: [], ignored: expect.any(String) });
  });
});

it.each([
  ['jira:issue_updated', 'indeterminate', 'FIRING'],
  ['jira:issue_updated', 'done', 'RESOLVED'],
  ['jira:issue_deleted', 'indeterminate', 'RESOLVED'],
  ['jira:issue_deleted', undefined, 'RESOLVED'],
  [undefined, 'done', 'RESOLVED'],
])('jira reads %s of an issue in the category %s as %s', (webhookEvent, key, state) => {
  const status = key === undefined ? undefined : { name: 'Status', statusCategory: { key } };
  const issue = { key: 'OPS-1', fields: { summary: 'Down', status } };
  expect(only('jira', { webhookEvent, issue }).state).toBe(state);
});
