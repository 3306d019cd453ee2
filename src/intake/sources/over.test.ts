import { describe, expect, it } from 'vitest';
import { read } from '../fixtures/delivery.ts';
import { readTitle, stateAlone, stateOf } from './alert-state.ts';

/** Wraps a message as an SNS notification. */
const sns = (Message: unknown, Subject?: string) => ({
  ...{
    Type: 'Notification',
    MessageId: crypto.randomUUID(),
    TopicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
  },
  ...{
    Message: typeof Message === 'string' ? Message : JSON.stringify(Message),
    Timestamp: '2026-11-26T09:05:00Z',
  },
  ...(Subject === undefined ? {} : { Subject }),
});

const alertmanagerText = (word: string) =>
  `Alerts ${word}:\nLabels:\n - alertname = DiskFull\n - severity = critical\n`;

const only = (...args: Parameters<typeof read>) => {
  const { alerts } = read(...args);
  expect(alerts).toHaveLength(1);
  return alerts[0]!;
};

describe('a message over SNS', () => {
  it.each([
    ['[FIRING:1] DiskFull (db-03 critical)', '[RESOLVED] DiskFull (db-03 critical)'],
    ['[PROBLEM] Disk of db-03', '[OK] Disk of db-03'],
    ['Problem: Disk of db-03', 'Resolved: Disk of db-03'],
    ['ALARM: Disk of db-03', 'OK: Disk of db-03'],
    ['[Triggered on {host:db-03}] Disk', '[Recovered on {host:db-03}] Disk'],
    ['Disk of db-03', '[Closed] Disk of db-03'],
  ])('%s is ended by %s', (begins, ends) => {
    const fire = only('cloudwatch', sns(alertmanagerText('Firing'), begins));
    const over = only('cloudwatch', sns(alertmanagerText('Resolved'), ends));
    expect([fire.state, over.state]).toEqual(['FIRING', 'RESOLVED']);
    if (begins !== 'Disk of db-03') expect(over.fingerprint).toBe(fire.fingerprint);
  });

  it('is another alert if the subject without its state differs', () => {
    const of = (subject: string) => only('cloudwatch', sns(alertmanagerText('Firing'), subject)).fingerprint;
    expect(of('[RESOLVED] DiskFull (db-03 critical)')).not.toBe(of('[FIRING:1] DiskFull (db-04 critical)'));
  });

  it('is known by its content if the subject names no state', () => {
    const rds = (source: string, message: string) =>
      only('cloudwatch', sns({ 'Source ID': source, 'Event Message': message }, 'RDS Notification Message'));
    expect(rds('db-a', 'restarted').fingerprint).not.toBe(rds('db-b', 'restarted').fingerprint);
    expect(rds('db-a', 'restarted').fingerprint).toBe(rds('db-a', 'restarted').fingerprint);
    expect(rds('db-a', 'restarted')).toMatchObject({
      ...{ title: 'RDS Notification Message', state: 'FIRING', labels: { 'Source ID': 'db-a' } },
    });
  });

  it('is an alarm if EventBridge sends its state, and ends the alert that SNS began', () => {
    const arn = 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:cpu-high';
    const event = (value: string) => ({
      ...{ version: '0', id: crypto.randomUUID(), 'detail-type': 'CloudWatch Alarm State Change' },
      ...{ source: 'aws.cloudwatch', account: '123456789012', region: 'eu-west-1', resources: [arn] },
      detail: { alarmName: 'cpu-high', state: { value }, previousState: { value: 'ALARM' } },
    });
    const alarm = { AlarmName: 'cpu-high', AlarmArn: arn, NewStateValue: 'ALARM' };
    const over = only('cloudwatch', sns(event('OK')));
    expect(over).toMatchObject({ state: 'RESOLVED', title: 'cpu-high', fingerprint: arn });
    expect(only('cloudwatch', sns(alarm)).fingerprint).toBe(over.fingerprint);
    expect(only('cloudwatch', sns(event('ALARM'))).state).toBe('FIRING');
    expect(read('cloudwatch', sns(event('INSUFFICIENT_DATA'))).alerts).toEqual([]);
  });
});

describe("Datadog's default template", () => {
  const body = (word: string, host = 'web-1') => ({
    ...{ id: `${Math.random()}`, title: `[${word} on {host:${host}}] CPU high`, body: 'CPU above 90' },
    ...{ event_type: 'metric_alert_monitor', alert_type: 'error', tags: 'env:prod' },
  });

  it.each(['Recovered', 'RECOVERED', 'Resolved'])('ends with [%s …]', (word) => {
    const fire = only('datadog', body('Triggered'));
    const over = only('datadog', body(word));
    expect([fire.state, over.state]).toEqual(['FIRING', 'RESOLVED']);
    expect(over.fingerprint).toBe(fire.fingerprint);
    expect(only('datadog', body(word, 'web-2')).fingerprint).not.toBe(fire.fingerprint);
  });

  it.each(['Re-Triggered', 'No Data', 'Warn', 'Renotify'])('fires with [%s …]', (word) => {
    expect(only('datadog', body(word))).toMatchObject({
      ...{
        state: 'FIRING',
        severity: 'ERROR',
        labels: { env: 'prod' },
        annotations: { message: 'CPU above 90' },
      },
      fingerprint: only('datadog', body('Triggered')).fingerprint,
    });
  });
});

describe('a state', () => {
  it.each([0, 1, false, true, '0', '1', 'false', 'DOWN', 'strange', 'not resolved', 'unresolved'])(
    'that says nothing by itself fires: %s',
    (status) => {
      const mapping = { state: '$.heartbeat.status', title: '$.monitor.name' } as never;
      const body = { heartbeat: { status, msg: 'connection refused' }, monitor: { id: 29, name: 'Shop' } };
      expect(only('generic', body, { source: { mapping } })).toMatchObject({
        state: 'FIRING',
        title: 'Shop',
      });
      expect(only('generic', { title: 'Shop', state: status }).state).toBe('FIRING');
    },
  );

  it('that the configuration names is over', () => {
    const mapping = { state: '$.status', resolvedValues: ['1', 'back *'] } as never;
    const of = (status: unknown) => only('generic', { title: 'Shop', status }, { source: { mapping } }).state;
    expect([1, '1', 'Back up', 0, 'ok', '11'].map(of)).toEqual([
      ...['RESOLVED', 'RESOLVED', 'RESOLVED', 'FIRING', 'FIRING', 'FIRING'],
    ]);
  });

  it.each(['Fired', 'Firing', 'Activated', '', 'closing'])(
    'of Azure that is not Resolved fires: %s',
    (condition) => {
      const essentials = { alertRule: 'r', monitorCondition: condition || 'x' };
      const body = { schemaId: 'azureMonitorCommonAlertSchema', data: { essentials } };
      expect(only('azure-monitor', body).state).toBe('FIRING');
    },
  );

  it('is over only if all words agree', () => {
    expect(stateAlone(['OK'])).toBe('RESOLVED');
    expect(stateAlone(['ok', 'CRITICAL'])).toBe('FIRING');
    expect(stateAlone(['success'])).toBeNull(); // may be the success of the request
    expect(stateAlone(['0', ''])).toBeNull();
    expect([stateOf(' ✅ Resolved! '), stateOf(null)]).toEqual(['RESOLVED', 'FIRING']);
  });
});

it.each([
  ['[RESOLVED] Disk full', 'RESOLVED', 'Disk full'],
  ['[Shop] [🔴 Down] timeout', 'FIRING', '[Shop] timeout'],
  ['[Shop] [✅ Recovered] 200', 'RESOLVED', '[Shop] 200'],
  ['Closed: the shop', 'RESOLVED', 'the shop'],
  ['Closed loop control fails', null, 'Closed loop control fails'],
  ['OK button does not work', null, 'OK button does not work'],
  ['[closed-beta] Login fails', null, '[closed-beta] Login fails'],
  ['Disk of db-03: full', null, 'Disk of db-03: full'],
])('the title %s has the state %s', (title, state, rest) => {
  expect(readTitle(title)).toEqual({ state, rest });
});

it.each([
  ['UP', 'RESOLVED'],
  ['DOWN', 'FIRING'],
])('a service that is %s in a body without a template: %s', (word, state) => {
  const was = word === 'UP' ? 'DOWN' : 'UP';
  const pingdom = { check_id: 85975, check_name: 'Shop', previous_state: was, current_state: word };
  expect(only('generic', pingdom).state).toBe(state);
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  expect(only('generic', `Name=Shop&Status=${word}&StatusCode=200`, form).state).toBe(state); // StatusCake
  expect(only('generic', { text: `[Shop] [${word}] 200 - OK` }).state).toBe(state); // Uptime Kuma as a text
});

describe("Zabbix's default subjects", () => {
  const SUBJECTS = [
    ['Problem: Disk full', 'FIRING'],
    ['Updated problem in 5m: Disk full', 'FIRING'],
    ['Resolved in 1d 2h 5m: Disk full', 'RESOLVED'],
    ['Resolved in 3s: Disk full', 'RESOLVED'],
  ] as const;
  const [[PROBLEM], , [RECOVERY]] = SUBJECTS;

  it.each(SUBJECTS)('%s is %s, and the alert of its event', (alert_subject, state) => {
    const event = { event_id: '98122', host_name: 'db-03' };
    const problem = only('zabbix', { ...event, alert_subject: PROBLEM });
    const { fingerprint, groupKey } = problem;
    expect(only('zabbix', { ...event, alert_subject })).toMatchObject({ state, fingerprint, groupKey });
    expect(only('zabbix', { ...event, alert_subject: 'Problem: CPU' }).groupKey).not.toBe(groupKey);
  });

  it('without values of the event end the alert that their default message names', () => {
    const message = (Subject: string, host: string, id: number) =>
      only('zabbix', {
        ...{ To: 'tarsy', Subject },
        Message: `Problem name: Disk full\r\nHost: ${host}\r\nSeverity: High\r\nOriginal problem ID: ${id}\r\n`,
      });
    const [a, b, over] = [message(PROBLEM, 'a', 7), message(PROBLEM, 'b', 8), message(RECOVERY, 'b', 8)];
    expect([a!.state, b!.state, over!.state]).toEqual(['FIRING', 'FIRING', 'RESOLVED']);
    expect(over).toMatchObject({ fingerprint: b!.fingerprint, objectId: '8' });
    expect(a!.fingerprint).not.toBe(b!.fingerprint);
  });
});
