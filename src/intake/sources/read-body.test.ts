import { expect, it } from 'vitest';
import { read } from '../fixtures/delivery.ts';

const TEXT = { headers: { 'content-type': 'text/plain; charset=utf-8' } };
const FORM = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };

it.each([
  ['[FIRING:1] DiskFull (db-03)', TEXT, { title: '[FIRING:1] DiskFull (db-03)', state: 'FIRING' }],
  ['[RESOLVED] DiskFull (db-03)', TEXT, { title: '[RESOLVED] DiskFull (db-03)', state: 'RESOLVED' }],
  [
    'Disk of db-03 is full',
    FORM,
    { title: 'Disk of db-03 is full', labels: { text: 'Disk of db-03 is full' } },
  ],
  ['[RESOLVED] DiskFull', FORM, { title: '[RESOLVED] DiskFull', state: 'RESOLVED' }],
  ['[{"title":"Disk full","state":"ok"}]', TEXT, { title: 'Disk full', state: 'RESOLVED' }],
  ['[ { "title": "Disk full" } ]', FORM, { title: 'Disk full' }],
])('reads %s', (body, type, expected) => {
  expect(read('generic', body, type).alerts).toMatchObject([expected]);
});

it('names JSON that cannot be read, also in a text or a form', () => {
  for (const type of [TEXT, FORM])
    for (const body of ['{"title": "Disk "C:" full"}', '[{"title": ]'])
      expect(() => read('generic', body, type)).toThrow('$: is not JSON');
});
