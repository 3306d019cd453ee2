import { describe, expect, it } from 'vitest';
import type { SessionHistoryQuery, SessionRowFragment } from '../../graphql/gen/documents.ts';
import { appendPage, replaceHead } from './history.ts';

function row(id: string): SessionRowFragment {
  return {
    id,
    status: 'COMPLETED',
    queuePosition: null,
    errorMessage: null,
    startedAt: null,
    completedAt: null,
    durationMs: null,
    currentStage: null,
    alertType: 'generic',
    alertPreview: '',
    author: 'a',
    createdAt: '',
    executiveSummary: null,
    tokenUsage: { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, totalTokens: 0 },
  };
}

function page(ids: string, hasNextPage: boolean): SessionHistoryQuery['sessions'] {
  const edges = [...ids].map((id) => ({ cursor: id, node: row(id) }));
  return { totalCount: 99, pageInfo: { hasNextPage, endCursor: ids.at(-1) ?? null }, edges };
}

const ids = (history: { rows: readonly SessionRowFragment[] }): string =>
  history.rows.map((r) => r.id).join('');

describe('history', () => {
  const first = replaceHead(null, page('fed', true));
  const both = appendPage(first, page('cba', false));

  it('grows by older pages and knows where it ends', () => {
    expect(ids(both)).toBe('fedcba');
    expect(both).toMatchObject({ endCursor: 'a', hasMore: false, total: 99 });
  });

  it('takes a row that comes twice only once', () => {
    expect(ids(appendPage(first, page('dcb', true)))).toBe('fedcb');
  });

  it('puts new sessions on top and keeps the older pages', () => {
    const after = replaceHead(both, page('hgfed', true));
    expect(ids(after)).toBe('hgfedcba');
    expect(after).toMatchObject({ endCursor: 'a', hasMore: false });
  });

  it('takes in a session that finished late, between older ones', () => {
    expect(ids(replaceHead(both, page('fxe', true)))).toBe('fxedcba');
  });

  it('begins again when so much is new that a hole is possible', () => {
    const after = replaceHead(both, page('xyz', true));
    expect(ids(after)).toBe('xyz');
    expect(after).toMatchObject({ endCursor: 'z', hasMore: true });
  });

  it('shrinks to what is there when there is no more', () => {
    expect(ids(replaceHead(both, page('f', false)))).toBe('f');
  });
});
