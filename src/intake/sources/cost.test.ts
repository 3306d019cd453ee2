import { afterEach, expect, it, vi } from 'vitest';
import { cpuMs } from '../../../test/helpers/cpu-time.ts';
import { read } from '../fixtures/delivery.ts';

afterEach(() => vi.restoreAllMocks());

it('converts a structured value to JSON once, regardless of the number of other values', () => {
  const many = (of: string) => Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`l${n}`, { of }]));
  const body = JSON.stringify({ title: 'x', labels: many('label'), annotations: many('annotation') });
  const stringify = vi.spyOn(JSON, 'stringify');
  const [alert] = read('generic', body).alerts;
  expect(stringify).toHaveBeenCalledTimes(600);
  expect(alert!.labels).toMatchObject({ l0: '{"of":"label"}', l199: '{"of":"label"}' });
});

it.each([
  ['key', { groupKey: `${'x'.repeat(300_000)} ` }],
  ['label', { groupLabels: { text: 'x'.repeat(4_000_000) } }],
  ['labels', { groupLabels: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`l${n}`, 'x'])) }],
])('a long %s of a group costs no more for many alerts than for one', (_, group) => {
  const alerts = Array.from({ length: 2_000 }, (_, n) => ({
    status: 'firing',
    labels: { alertname: 'X' },
    fingerprint: `${n}`,
  }));
  let told: ReturnType<typeof read>['alerts'] = [];
  const took = cpuMs(() => {
    told = read('alertmanager', { ...group, alerts }).alerts;
  });
  expect(took).toBeLessThan(4_000);
  expect(new Set(told.map(({ groupKey, title }) => `${groupKey} ${title}`)).size).toBe(1);
});
