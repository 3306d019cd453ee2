import { describe, expect, it } from 'vitest';
import type { SessionRowFragment, SessionStatus } from '../../graphql/gen/documents.ts';
import {
  addRows,
  foldChange,
  hasLost,
  listsOf,
  needsRefill,
  placeOf,
  type SessionLists,
} from './session-lists.ts';

function row(id: string, status: SessionStatus): SessionRowFragment {
  return {
    id,
    status,
    queuePosition: null,
    errorMessage: null,
    startedAt: null,
    completedAt: null,
    currentStage: null,
    report: null,
    alertType: 'generic',
    title: id,
    severity: 'UNKNOWN',
    alertPreview: id,
    chainId: 'chain',
    author: 'a',
    createdAt: `2026-01-01T00:00:0${id.charCodeAt(0) - 97}.000Z`,
    executiveSummary: null,
    review: null,
    tokenUsage: { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, totalTokens: 0 },
  };
}

function change(id: string, status: SessionStatus) {
  const { title, severity, alertType, alertPreview, chainId, author, createdAt, ...live } = row(id, status);
  return live;
}

/** The n-th session of a long queue. */
const waits = (n: number) => ({
  ...row('a', 'PENDING'),
  id: `w${n}`,
  createdAt: new Date(Date.UTC(2026, 0, 1) + n).toISOString(),
});

const placed = (id: string, queuePosition: number) => ({ ...change(id, 'PENDING'), queuePosition });

const shape = ({ active, queued, unknown }: SessionLists): string =>
  `${active.map((r) => r.id).join('')}|${queued.map((r) => `${r.id}${r.queuePosition}`).join('')}|${unknown.join('')}`;

describe('session lists', () => {
  const lists = listsOf(
    [row('b', 'IN_PROGRESS'), row('a', 'IN_PROGRESS')],
    [row('c', 'PENDING'), row('d', 'PENDING')],
  );

  it('sort running sessions newest first and number the queue', () => {
    expect(shape(lists)).toBe('ba|c1d2|');
  });

  it('move a started session and renumber the queue', () => {
    expect(shape(foldChange(lists, change('c', 'IN_PROGRESS')))).toBe('cba|d1|');
  });

  it('remove an ended session', () => {
    expect(shape(foldChange(lists, change('b', 'COMPLETED')))).toBe('a|c1d2|');
    expect(shape(foldChange(lists, change('c', 'CANCELLED')))).toBe('ba|d1|');
  });

  it('keep the identity of unchanged rows', () => {
    const after = foldChange(lists, change('c', 'IN_PROGRESS'));
    expect(after.active[1]).toBe(lists.active[0]);
  });

  it('record an unknown session once, and add its row', () => {
    const withUnknown = foldChange(foldChange(lists, change('e', 'PENDING')), change('e', 'PENDING'));
    expect(shape(told)).toBe('ba|c1d2|e');
    expect(shape(addRows(withUnknown, ['e'], [row('e', 'PENDING')]))).toBe('ba|c1d2e3|');
  });

  it('do not add a session that ended or was deleted while its row was read', () => {
    const withUnknown = foldChange(lists, change('e', 'PENDING'));
    const ended = foldChange(withUnknown, change('e', 'CANCELLED'));
    expect(shape(addRows(ended, ['e'], [row('e', 'PENDING')]))).toBe('ba|c1d2|');
    expect(shape(addRows(withUnknown, ['e'], []))).toBe('ba|c1d2|');
    expect(shape(addRows(withUnknown, ['e'], [row('e', 'FAILED')]))).toBe('ba|c1d2|');
  });

  it('list 500 queued sessions; later ones are unlisted and have no position', () => {
    const waiting = (count: number) => Array.from({ length: count }, (_, n) => waits(n));
    const full = listsOf([], waiting(500));
    expect(full.queued.at(-1)).toMatchObject({ queuePosition: 500 });
    expect(placeOf(full.queued.at(-1)!)).toBe('#500');
    expect(foldChange(full, change('e', 'PENDING'))).toBe(full);

    const longer = addRows(foldChange(full, placed('e', 501)), ['e'], [{ ...waits(501), id: 'e' }]);
    expect(longer.queued).toHaveLength(501);
    expect(placeOf(longer.queued.at(-1)!)).toBe('#500+');

    const short = listsOf([], waiting(3));
    expect(foldChange(short, change('e', 'PENDING')).unknown).toEqual(['e']);
  });

  it('need a refill when many listed sessions of a longer queue have started', () => {
    const begin = (from: SessionLists, count: number) =>
      from.queued.slice(0, count).reduce((now, { id }) => foldChange(now, change(id, 'COMPLETED')), from);
    const full = listsOf(
      [],
      Array.from({ length: 500 }, (_, n) => waits(n)),
    );
    expect(needsRefill(begin(full, 100))).toBe(false);
    expect(needsRefill(begin(full, 101))).toBe(true);
    const whole = listsOf([], full.queued.slice(1));
    expect(needsRefill(begin(whole, 101))).toBe(false);
    expect(needsRefill(begin(foldChange(whole, change('e', 'PENDING')), 101))).toBe(true);
  });

  it('detect sessions that are missing after a new query', () => {
    const without = listsOf(lists.active.slice(1), lists.queued);
    expect(hasLost(lists, without)).toBe(true);
    expect(hasLost(without, lists)).toBe(false);
    expect(hasLost(lists, listsOf(lists.active, lists.queued))).toBe(false);
    expect(hasLost(null, lists)).toBe(false);
  });
});
