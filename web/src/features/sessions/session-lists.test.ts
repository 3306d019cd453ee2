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

/** The n-th of a long queue. */
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

  it('are what was read: running newest first, waiting in order', () => {
    expect(shape(lists)).toBe('ba|c1d2|');
  });

  it('move a session that starts, and the queue moves up', () => {
    expect(shape(foldChange(lists, change('c', 'IN_PROGRESS')))).toBe('cba|d1|');
  });

  it('let go of a session that has ended', () => {
    expect(shape(foldChange(lists, change('b', 'COMPLETED')))).toBe('a|c1d2|');
    expect(shape(foldChange(lists, change('c', 'CANCELLED')))).toBe('ba|d1|');
  });

  it('keep a row as it is when nothing of it changed places', () => {
    const after = foldChange(lists, change('c', 'IN_PROGRESS'));
    expect(after.active[1]).toBe(lists.active[0]);
  });

  it('name a session they do not know, once, and take its row', () => {
    const told = foldChange(foldChange(lists, change('e', 'PENDING')), change('e', 'PENDING'));
    expect(shape(told)).toBe('ba|c1d2|e');
    expect(shape(addRows(told, ['e'], [row('e', 'PENDING')]))).toBe('ba|c1d2e3|');
  });

  it('do not take a row that ended while it was read, nor one that is gone', () => {
    const told = foldChange(lists, change('e', 'PENDING'));
    const ended = foldChange(told, change('e', 'CANCELLED'));
    expect(shape(addRows(ended, ['e'], [row('e', 'PENDING')]))).toBe('ba|c1d2|');
    expect(shape(addRows(told, ['e'], []))).toBe('ba|c1d2|');
    expect(shape(addRows(told, ['e'], [row('e', 'FAILED')]))).toBe('ba|c1d2|');
  });

  it('end with a queue of 500: who waits behind that is not listed, and has no place', () => {
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

  it('are read again when most of what was listed of a longer queue has begun', () => {
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

  it('notice what is listed no more when they are read again', () => {
    const without = listsOf(lists.active.slice(1), lists.queued);
    expect(hasLost(lists, without)).toBe(true);
    expect(hasLost(without, lists)).toBe(false);
    expect(hasLost(lists, listsOf(lists.active, lists.queued))).toBe(false);
    expect(hasLost(null, lists)).toBe(false);
  });
});
