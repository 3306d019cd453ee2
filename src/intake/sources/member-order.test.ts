import { expect, it } from 'vitest';
import type { SourceType } from '../../config/enums.ts';
import { read } from '../fixtures/delivery.ts';

/** Returns the same JSON with the members of each mapping in reverse, as the next run of a Perl script may write them. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, child]) => [name, reversed(child)]);
  return Object.fromEntries(members.toReversed());
}

const DISK = {
  host: 'db-03',
  service: 'Disk /',
  check: { name: 'disk', node: 'n-7' },
  output: 'Disk is full',
};
const EVENT = { specversion: '1.0', id: 'e1', source: '/checks', type: 'check.failed' };

it.each<[SourceType, object]>([
  ['generic', DISK],
  ['generic', { ...DISK, title: 'Disk full' }],
  ['generic', { title: 'Disk full', labels: { host: 'db-03', app: 'shop' } }],
  ['generic', { ...DISK, labels: { host: 'db-03', app: 'shop' } }],
  ['splunk', { search_name: 'Too many 5xx', result: { host: 'web-1', app: 'shop' } }],
  ['eventbridge', { 'detail-type': 'RDS Event', resources: ['arn:db'], detail: { a: 'x', b: 'y' } }],
  ['cloudevents', { ...EVENT, data: { title: 'Disk full', labels: { host: 'db-03', app: 'shop' } } }],
  ['cloudevents', { ...EVENT, subject: 'disk', data: DISK }],
])('%s: the order of members does not change which alert %j is', (type, body) => {
  const [[alert], [same]] = [read(type, body).alerts, read(type, reversed(body)).alerts];
  expect(same).toMatchObject({ fingerprint: alert!.fingerprint, title: alert!.title, labels: alert!.labels });
});
