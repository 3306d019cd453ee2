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

it('reads the JSON in the field `payload` of a form, as GitHub sends it by default', () => {
  const run = { workflow_run: { name: 'CI', workflow_id: 7, head_branch: 'main', conclusion: 'failure' } };
  const json = { action: 'completed', ...run, repository: { full_name: 'example/shop' } };
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  const sent = read('github', form({ payload: JSON.stringify(json) }), FORM);
  expect(sent.alerts).toEqual(read('github', json).alerts);
  expect(sent.alerts).toMatchObject([{ state: 'FIRING', title: 'CI fails on main of example/shop' }]);
  const slack = form({ payload: '{"text":"[RESOLVED] Disk full"}' });
  expect(read('generic', slack, FORM).alerts).toMatchObject([{ state: 'RESOLVED' }]);
  const field = form({ payload: '12 kg', title: 'Overweight' });
  expect(read('generic', field, FORM).alerts).toMatchObject([{ labels: { payload: '12 kg' } }]);
  expect(() => read('generic', form({ payload: '{"text":' }), FORM)).toThrow('$.payload: is not JSON');
});
