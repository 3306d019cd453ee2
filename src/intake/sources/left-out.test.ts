import { expect, test } from 'vitest';
import { read } from '../fixtures/delivery.ts';

const alert = (more: object = {}) => ({ status: 'firing', labels: { alertname: 'DiskFull' }, ...more });
const event = (more: object = {}) => ({
  ...{ specversion: '1.0', source: 'probe', type: 'disk.full', id: 'e1', data: { title: 'Disk full' } },
  ...more,
});

test.each([
  [
    'alertmanager',
    { alerts: [alert({ status: null }), alert()] },
    '$.alerts[0].status: expected text, got null',
  ],
  [
    'grafana',
    { alerts: [alert(), alert({ labels: [] })] },
    '$.alerts[1].labels: expected a mapping, got a list',
  ],
  ['generic', [{ title: 'Disk full' }, 7], '$[1]: expected a mapping, got a number'],
  ['generic', [{}, { title: 'Disk full' }], '$[0]: holds nothing to read'],
  ['cloudevents', [event(), event({ id: null })], '$[1].id: expected text, got null'],
] as const)('%s: an alert that cannot be read hides no other and is named', (type, body, problem) => {
  const { alerts, notes, leftOut } = read(type, body);
  expect(alerts).toHaveLength(1);
  expect(leftOut).toContain(`1 of 2 alerts are left out, because they cannot be read. The first: ${problem}`);
  expect(notes).toContain(leftOut);
});

test.each([
  ['alertmanager', { alerts: [alert({ status: null }), alert({ labels: null })] }],
  ['cloudevents', [event({ id: null })]],
  ['generic', [7, 'x']],
] as const)('%s: a delivery is refused if none of its alerts can be read', (type, body) => {
  expect(() => read(type, body)).toThrow(expect.objectContaining({ code: 'UNREADABLE_DELIVERY' }));
});

test('thousands of alerts that cannot be read give one note', () => {
  const { alerts, notes } = read('alertmanager', { alerts: [alert(), ...Array(4000).fill({})] });
  expect([alerts.length, notes.length]).toEqual([1, 1]);
  expect(notes[0]).toContain('4000 of 4001 alerts');
});
