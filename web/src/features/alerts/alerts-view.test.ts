import { describe, expect, it } from 'vitest';
import {
  type AlertsView,
  changeView,
  countFilters,
  formatView,
  parseView,
  viewVariables,
  withoutFilters,
} from './alerts-view.ts';

const full: AlertsView = {
  search: 'disk & "memory"',
  state: 'FIRING',
  severity: ['CRITICAL', 'ERROR'],
  source: ['prod am', 'b'],
  alertType: ['kubernetes'],
  team: 'shop',
  within: null,
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-02T10:30:00.000Z',
  size: 50,
  after: 'cursor==',
  before: null,
  at: 0,
};
const usual = parseView(new URLSearchParams());
const NOW = Date.parse('2026-11-22T12:00:00Z');

describe('the view of the alerts', () => {
  it('round-trips through its address', () => {
    expect(parseView(new URLSearchParams(formatView(full).toString()))).toEqual(full);
    expect(parseView(formatView({ ...full, ...{ within: '1h', from: null, to: null } }))).toMatchObject({
      within: '1h',
      from: null,
    });
    expect(formatView(usual).toString()).toBe('');
  });

  it.each([
    ['state=firing&severity=critical', { state: 'FIRING', severity: ['CRITICAL'] }],
    ['state=BAD&severity=BAD&size=7&from=soon&within=9y', {}],
    ['after=a&before=b', { after: 'a', before: null }],
  ])('ignores invalid parts of the address %s', (address, expected) => {
    expect(parseView(new URLSearchParams(address))).toEqual({ ...usual, ...expected });
  });

  it('turns into query variables with every filter', () => {
    expect(viewVariables(full, NOW)).toEqual({
      first: 50,
      after: 'cursor==',
      filter: {
        state: 'FIRING',
        severity: ['CRITICAL', 'ERROR'],
        source: ['prod am', 'b'],
        alertType: ['kubernetes'],
        team: ['shop'],
        search: 'disk & "memory"',
        since: '2026-11-01T00:00:00.000Z',
        before: '2026-11-02T10:30:00.000Z',
      },
    });
    const { filter, ...page } = viewVariables(
      { ...usual, search: ' ab ', within: '1h', before: 'x', size: 25 },
      NOW,
    );
    expect(page).toEqual({ last: 25, before: 'x' });
    expect(filter).toMatchObject({
      search: null,
      team: null,
      since: '2026-11-22T11:00:00.000Z',
      before: null,
    });
  });

  it('returns to the first page when it changes, and keeps the page size when filters are cleared', () => {
    expect(changeView(full, { state: null })).toEqual({ ...full, state: null, after: null });
    expect(withoutFilters(full)).toEqual({ ...usual, size: 50 });
  });

  it('counts its active filters', () => {
    expect(countFilters(full)).toBe(7);
    expect(countFilters({ ...usual, search: 'ab' })).toBe(0);
  });
});
