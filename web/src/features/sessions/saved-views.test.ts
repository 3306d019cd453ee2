import { describe, expect, it } from 'vitest';
import { type ListView, USUAL_VIEW } from './list-view.ts';
import {
  addressOf,
  MAX_NAME,
  MAX_VIEWS,
  parseSavedViews,
  queryOf,
  savedAs,
  viewAt,
  withoutView,
  withView,
} from './saved-views.ts';

const EMPTY = parseSavedViews(null);
const failed: ListView = { ...USUAL_VIEW, status: ['FAILED'], size: 50 };
const critical: ListView = { ...USUAL_VIEW, severity: ['CRITICAL'] };
const both = withView(withView(EMPTY, 'Failed', failed), 'Critical', critical);

describe('saved views', () => {
  it('round-trip, sorted by name', () => {
    expect(both.views.map(({ name }) => name)).toEqual(['Critical', 'Failed']);
    expect(parseSavedViews(JSON.stringify({ ...both, usual: 'Failed' }))).toEqual({
      ...both,
      usual: 'Failed',
    });
    expect(withView(both, 'Failed', critical).views).toHaveLength(2);
    expect(savedAs({ ...failed, after: 'x', at: 50 }, both)?.name).toBe('Failed');
    expect(savedAs({ ...failed, size: 25 }, both)).toBeUndefined();
    expect(withoutView({ ...both, usual: 'Failed' }, 'Failed')).toEqual({
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
    expect(viewAt(new URLSearchParams(), EMPTY)).toEqual(USUAL_VIEW);
    expect(viewAt(new URLSearchParams(), both)).toEqual(USUAL_VIEW);
    expect(viewAt(new URLSearchParams(), usual)).toEqual(failed);
    expect(viewAt(new URLSearchParams('severity=critical'), usual)).toEqual(critical);
  });

  it('is not the URL of all sessions if there is a default view', () => {
    expect(addressOf(USUAL_VIEW, both).toString()).toBe('');
    const all = addressOf(USUAL_VIEW, usual);
    expect(viewAt(all, usual)).toEqual(USUAL_VIEW);
    expect(addressOf(failed, usual).toString()).toBe(queryOf(failed));
  });
});
