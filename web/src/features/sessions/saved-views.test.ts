import { describe, expect, it } from 'vitest';
import { DEFAULT_VIEW, type ListView } from './list-view.ts';
import {
  addView,
  findSavedView,
  firstPageQuery,
  MAX_NAME,
  MAX_VIEWS,
  paramsForView,
  parseSavedViews,
  removeView,
  viewFromParams,
} from './saved-views.ts';

const EMPTY = parseSavedViews(null);
const failed: ListView = { ...DEFAULT_VIEW, status: ['FAILED'], size: 50 };
const critical: ListView = { ...DEFAULT_VIEW, severity: ['CRITICAL'] };
const both = addView(addView(EMPTY, 'Failed', failed), 'Critical', critical);

describe('saved views', () => {
  it('round-trip, sorted by name', () => {
    expect(both.views.map(({ name }) => name)).toEqual(['Critical', 'Failed']);
    expect(parseSavedViews(JSON.stringify({ ...both, usual: 'Failed' }))).toEqual({
      ...both,
      usual: 'Failed',
    });
    expect(addView(both, 'Failed', critical).views).toHaveLength(2);
    expect(findSavedView({ ...failed, after: 'x', at: 50 }, both)?.name).toBe('Failed');
    expect(findSavedView({ ...failed, size: 25 }, both)).toBeUndefined();
    expect(removeView({ ...both, usual: 'Failed' }, 'Failed')).toEqual({
      views: [both.views[0]],
      usual: null,
    });
  });

  it.each([
    'no JSON',
    'null',
    '[]',
    '{"views":{}}',
    '{"views":[7,{"name":"","query":""},{"name":"x"}],"usual":"x"}',
    JSON.stringify({ views: [{ name: 'x'.repeat(MAX_NAME + 1), query: '' }] }),
  ])('are empty for %s', (text) => {
    expect(parseSavedViews(text)).toEqual(EMPTY);
  });

  it('are limited in number and drop unknown filters', () => {
    const views = Array.from({ length: MAX_VIEWS + 5 }, (_, n) => ({
      name: `${n}`,
      query: 'status=running&size=50',
    }));
    const { views: kept } = parseSavedViews(JSON.stringify({ views }));
    expect(kept).toHaveLength(MAX_VIEWS);
    expect(kept[0]?.query).toBe('size=50');
  });
});

describe('URL without parameters', () => {
  const usual = { ...both, usual: 'Failed' };
  it('shows the default view, or all sessions', () => {
    expect(viewFromParams(new URLSearchParams(), EMPTY)).toEqual(DEFAULT_VIEW);
    expect(viewFromParams(new URLSearchParams(), both)).toEqual(DEFAULT_VIEW);
    expect(viewFromParams(new URLSearchParams(), usual)).toEqual(failed);
    expect(viewFromParams(new URLSearchParams('severity=critical'), usual)).toEqual(critical);
  });

  it('is not the URL of all sessions if there is a default view', () => {
    expect(paramsForView(DEFAULT_VIEW, both).toString()).toBe('');
    const all = paramsForView(DEFAULT_VIEW, usual);
    expect(viewFromParams(all, usual)).toEqual(DEFAULT_VIEW);
    expect(paramsForView(failed, usual).toString()).toBe(firstPageQuery(failed));
  });
});
