import { describe, expect, it } from 'vitest';
import {
  changeView,
  DEFAULT_VIEW,
  formatView,
  isFiltered,
  type ListView,
  parseView,
  viewVariables,
  withoutFilters,
} from './list-view.ts';

const full: ListView = {
  search: 'disk & "memory"',
  status: ['FAILED', 'TIMED_OUT'],
  severity: ['CRITICAL', 'INFO'],
  alertType: ['a b', 'c'],
  team: ['payments'],
  chainId: ['x'],
  author: ['ana@example.com'],
  verdict: ['INCONCLUSIVE'],
  label: ['capacity'],
  review: ['NEEDS_REVIEW'],
  rating: ['ACCURATE'],
  within: null,
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-02T10:30:00.000Z',
  field: 'DURATION',
  direction: 'ASC',
  size: 50,
  after: 'cursor==',
  before: null,
  at: 50,
};

describe('URL of a view', () => {
  it('is empty for the default view', () => {
    expect(formatView(DEFAULT_VIEW).toString()).toBe('');
    expect(isFiltered(DEFAULT_VIEW)).toBe(false);
  });

  it('round-trips a complete view', () => {
    expect(parseView(new URLSearchParams(formatView(full).toString()))).toEqual(full);
    const relative: ListView = { ...DEFAULT_VIEW, within: '7d', before: 'b' };
    expect(parseView(formatView(relative))).toEqual(relative);
  });

  it.each(['status=running', 'sort=toString', 'within=constructor', 'from=yesterday', 'size=7', 'dir=up'])(
    'ignores %s',
    (text) => {
      expect(parseView(new URLSearchParams(text))).toEqual(DEFAULT_VIEW);
    },
  );
});

describe('changed view', () => {
  it('starts at the first page', () => {
    expect(changeView(full, { search: 'x' })).toMatchObject({ search: 'x', after: null, size: 50 });
    expect(changeView(full, { before: 'b' })).toMatchObject({ after: null, before: 'b' });
  });

  it('keeps order and page size without filters', () => {
    expect(withoutFilters(full)).toEqual({ ...DEFAULT_VIEW, field: 'DURATION', direction: 'ASC', size: 50 });
  });
});

describe('query variables', () => {
  it('request finished sessions only, newest first', () => {
    expect(viewVariables(DEFAULT_VIEW, 0)).toMatchObject({
      first: 25,
      after: null,
      searching: false,
      filter: { status: ['COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED'], search: null, createdAfter: null },
      orderBy: { field: 'CREATED_AT', direction: 'DESC' },
    });
  });

  it('resolve relative periods, use `last` to page backwards, and omit short searches', () => {
    const view: ListView = { ...DEFAULT_VIEW, within: '1h', before: 'b', search: ' ab ' };
    const asked = viewVariables(view, Date.parse('2026-11-22T03:00:00Z'));
    expect(asked).toMatchObject({ last: 25, before: 'b' });
    expect(asked).not.toHaveProperty('first');
    expect(asked.filter).toMatchObject({ createdAfter: '2026-11-22T02:00:00.000Z', search: null });
    expect(viewVariables({ ...view, search: ' abc ' }, 0)).toMatchObject({
      searching: true,
      filter: { search: 'abc' },
    });
  });
});
