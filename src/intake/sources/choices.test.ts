import { expect, it } from 'vitest';
import { read } from '../fixtures/delivery.ts';
import { matches } from './alert-state.ts';
import { contentOf } from './body-content.ts';

const only = (...args: Parameters<typeof read>) => {
  const { alerts } = read(...args);
  expect(alerts).toHaveLength(1);
  return alerts[0]!;
};

it('a pattern matches no text that is shorter than its parts together', () => {
  expect(matches('ok*k', 'okk')).toBe(true);
  expect(matches('ok*k', 'ok')).toBe(false);
});

it('values of the same name are labels by their paths, except the first', () => {
  const { labels } = contentOf({ sender: { host: 'web-1' }, target: { host: 'db-03' } });
  expect(labels).toEqual([
    ['host', 'web-1'],
    ['target.host', 'db-03'],
  ]);
});

it('a body of very many values is read up to a limit', () => {
  const items = Array.from({ length: 3_000 }, (_, n) => ({ word: `w${String.fromCharCode(97 + (n % 26))}` }));
  expect(contentOf({ items }).identity).toHaveLength(2 * 2_000);
});

it('a list in the place of the labels is kept as a value of the body', () => {
  expect(only('generic', { labels: ['disk'], message: 'Disk of db-03' }).labels).toEqual({
    labels: 'disk',
    message: 'Disk of db-03',
  });
});

it('an event of CloudEvents takes its end from its time, and its state from its data before its type', () => {
  const event = (type: string, data: object) =>
    only('cloudevents', {
      ...{ specversion: '1.0', id: '1', source: '/s', subject: 'db-03', time: '2026-11-22T10:00:00Z' },
      ...{ type, data: { title: 'Disk full', ...data } },
    });
  const time = new Date('2026-11-22T10:00:00Z');
  expect(event('com.example.disk', { state: 'resolved' }).endsAt).toEqual(time);
  expect(event('com.example.disk.resolved', {})).toMatchObject({ state: 'RESOLVED', endsAt: time });
  expect(event('com.example.disk.resolved', { state: 'firing' }).state).toBe('FIRING');
});

it('a message over SNS has a start if it fires, else an end', () => {
  const message = (Subject: string) =>
    only('cloudwatch', {
      ...{ Type: 'Notification', MessageId: '1', TopicArn: 'arn:aws:sns:eu-west-1:1:alarms', Subject },
      ...{ Message: 'Disk of db-03', Timestamp: '2026-11-26T09:05:00Z' },
    });
  const at = new Date('2026-11-26T09:05:00Z');
  expect(message('[FIRING] Disk')).toMatchObject({ startsAt: at, endsAt: null });
  expect(message('[RESOLVED] Disk')).toMatchObject({ startsAt: null, endsAt: at });
});

it('alerts of a Datadog monitor without a scope differ by their titles', () => {
  const of = (title: string) => only('datadog', { monitor: '7', title }).fingerprint;
  expect(of('[Triggered] CPU of web-1')).toBe(of('[Recovered] CPU of web-1'));
  expect(of('[Triggered] CPU of web-1')).not.toBe(of('[Triggered] CPU of web-2'));
});

it('a message of a state that is no alert says so', () => {
  const alarm = { detail: { alarmName: 'cpu', state: { value: 'INSUFFICIENT_DATA' } } };
  expect(read('eventbridge', alarm).ignored).toBe('The message tells of a state that is no alert.');
});

it('a JSON message over SNS without a state has that of its subject', () => {
  const message = (body: object) =>
    only('cloudwatch', {
      ...{ Type: 'Notification', MessageId: '1', TopicArn: 'arn:aws:sns:eu-west-1:1:alarms' },
      ...{ Subject: '[RESOLVED] Disk', Message: JSON.stringify({ host: 'db-03', ...body }) },
    });
  expect(message({}).state).toBe('RESOLVED');
  expect(message({ status: 'firing' }).state).toBe('FIRING');
});

it.each([
  ['a text', 'team:storage, disk'],
  ['JSON in a text', '[{"tag":"team","value":"storage"},{"tag":"disk","value":""}]'],
  [
    'a list',
    [
      { tag: 'team', value: 'storage' },
      { tag: 'disk', value: '' },
    ],
  ],
])('tags of Zabbix may be %s', (_form, tags) => {
  const { labels } = only('zabbix', { title: 'Disk full', tags });
  expect(labels).toMatchObject({ team: 'storage', disk: 'true' });
});

it('tags of Datadog may be a list', () => {
  const { labels } = only('datadog', { title: 'CPU', monitor: '1', tags: ['env:prod', 'web'] });
  expect(labels).toMatchObject({ env: 'prod', web: 'true' });
});

it('details of a PagerDuty event may be a text', () => {
  const payload = {
    summary: 'Disk full',
    source: 'db-03',
    severity: 'error',
    custom_details: 'exit status 1',
  };
  const { annotations } = only('pagerduty-events', { event_action: 'trigger', dedup_key: 'k', payload });
  expect(annotations).toMatchObject({ custom_details: 'exit status 1' });
});
