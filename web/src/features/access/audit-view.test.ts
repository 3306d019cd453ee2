import { expect, test } from 'vitest';
import {
  changeView,
  countFilters,
  formatView,
  parseView,
  viewVariables,
  withoutFilters,
} from './audit-view.ts';

const ADDRESS =
  'who=ana&action=token.create&action=token.revoke&object=U2Vzc2lvbjox&within=1d&size=50&after=c1';
const view = parseView(new URLSearchParams(ADDRESS));

test('round-trips a view through its address', () => {
  expect(formatView(view).toString()).toBe(ADDRESS);
  expect(countFilters(view)).toBe(4);
  expect(formatView(parseView(new URLSearchParams('size=7&within=x'))).toString()).toBe('');
});

test('returns to the first page when a filter changes or all are cleared', () => {
  expect(formatView(changeView(view, { actor: '' })).get('after')).toBeNull();
  expect(formatView(withoutFilters(view)).toString()).toBe('size=50');
});

test('turns a view into query variables', () => {
  const now = Date.parse('2026-11-23T00:00:00Z');
  expect(viewVariables(view, now)).toEqual({
    ...{ first: 50, after: 'c1', actor: ['ana'], action: ['token.create', 'token.revoke'] },
    ...{ targetId: 'U2Vzc2lvbjox', from: '2026-11-22T00:00:00.000Z', to: null },
  });
  expect(viewVariables(withoutFilters(view), now)).toMatchObject({ actor: null, targetId: null, from: null });
});
