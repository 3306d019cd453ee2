import { expect, test } from 'vitest';
import { daysOf, formatView, parseView, periodOf } from './usage-view.ts';

const NOW = Date.parse('2026-11-23T23:30:00Z');
const parsed = (query: string) => parseView(new URLSearchParams(query));

test('a view round-trips through its address, and invalid values are ignored', () => {
  expect(parsed('')).toEqual({ span: '30', from: null, to: null, by: 'MODEL' });
  expect(parsed('span=7&by=TEAM')).toMatchObject({ span: '7', by: 'TEAM' });
  expect(parsed('span=8&by=toString')).toMatchObject({ span: '30', by: 'MODEL' });
  expect(parsed('from=2026-02-01&to=2026-02-28')).toMatchObject({ span: null, from: '2026-02-01' });
  for (const wrong of [
    'from=2026-02-01',
    'from=2026-02-30&to=2026-03-01',
    'from=2026-02-02&to=2026-02-01',
    'from=2020-01-01&to=2026-01-01',
    'from=x&to=y',
  ])
    expect(parsed(wrong).span, wrong).toBe('30');
  for (const query of ['', 'span=365&by=DAY', 'from=2026-02-01&to=2026-02-28&by=SOURCE'])
    expect(formatView(parsed(query)).toString()).toBe(query);
});

test('days are whole UTC days and include today', () => {
  expect(daysOf(parsed('span=1'), NOW)).toEqual(['2026-11-23']);
  const week = daysOf(parsed('span=7'), NOW);
  expect([week.length, week[0], week.at(-1)]).toEqual([7, '2026-11-17', '2026-11-23']);
  expect(periodOf(week)).toEqual({ from: '2026-11-17T00:00:00.000Z', to: '2026-11-24T00:00:00.000Z' });
  expect(daysOf(parsed('from=2026-02-27&to=2026-03-01'), NOW)).toEqual([
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
  ]);
});
