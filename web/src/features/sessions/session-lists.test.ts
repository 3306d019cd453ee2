import { describe, expect, it } from 'vitest';
import type { SessionRowFragment, SessionStatus } from '../../graphql/gen/documents.ts';
import {
  addRows,
  applyChange,
  createLists,
  hasMissingSessions,
  needsRefill,
  type SessionLists,
} from './session-lists.ts';

function row(id: string, status: SessionStatus): SessionRowFragment {
  return {
    id,
    status,
    queuePosition: null,
    waitingFor: null,
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
    byRules: false,
    review: null,
    tokenUsage: { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, totalTokens: 0 },
  };
}

function change(id: string, status: SessionStatus) {
  const { title, severity, alertType, alertPreview, chainId, author, createdAt, ...live } = row(id, status);
  return live;
}

/** The n-th session of a long queue. */
const queuedRow = (n: number) => ({
  ...row('a', 'PENDING'),
  id: `w${n}`,
  createdAt: new Date(Date.UTC(2026, 0, 1) + n).toISOString(),
});

const withPosition = (id: string, queuePosition: number) => ({ ...change(id, 'PENDING'), queuePosition });

const shape = ({ active, queued, unknown }: SessionLists): string =>
  `${active.map((r) => r.id).join('')}|${queued.map((r) => `${r.id}${r.queuePosition}`).join('')}|${unknown.join('')}`;

describe('session lists', () => {
  const lists = createLists(
    [row('b', 'IN_PROGRESS'), row('a', 'IN_PROGRESS')],
    [row('c', 'PENDING'), row('d', 'PENDING')],
  );

  it('sort running sessions newest first and number the queue', () => {
    expect(shape(lists)).toBe('ba|c1d2|');
  });

  it('move a started session and renumber the queue', () => {
    expect(shape(applyChange(lists, change('c', 'IN_PROGRESS')))).toBe('cba|d1|');
  });

  it('remove an ended session', () => {
    expect(shape(applyChange(lists, change('b', 'COMPLETED')))).toBe('a|c1d2|');
    expect(shape(applyChange(lists, change('c', 'CANCELLED')))).toBe('ba|d1|');
  });

  it('keep the identity of unchanged rows', () => {
    const after = applyChange(lists, change('c', 'IN_PROGRESS'));
    expect(after.active[1]).toBe(lists.active[0]);
  });

  it('record an unknown session once, and add its row', () => {
    const withUnknown = applyChange(applyChange(lists, change('e', 'PENDING')), change('e', 'PENDING'));
    expect(shape(withUnknown)).toBe('ba|c1d2|e');
    expect(shape(addRows(withUnknown, ['e'], [row('e', 'PENDING')]))).toBe('ba|c1d2e3|');
  });

  it('do not add a session that ended or was deleted while its row was read', () => {
    const withUnknown = applyChange(lists, change('e', 'PENDING'));
    const ended = applyChange(withUnknown, change('e', 'CANCELLED'));
    expect(shape(addRows(ended, ['e'], [row('e', 'PENDING')]))).toBe('ba|c1d2|');
    expect(shape(addRows(withUnknown, ['e'], []))).toBe('ba|c1d2|');
    expect(shape(addRows(withUnknown, ['e'], [row('e', 'FAILED')]))).toBe('ba|c1d2|');
  });

  it('list 500 queued sessions; later ones are unlisted and have no position', () => {
    const waiting = (count: number) => Array.from({ length: count }, (_, n) => queuedRow(n));
    const full = createLists([], waiting(500));
    expect(full.queued.at(-1)).toMatchObject({ queuePosition: 500 });
    expect(applyChange(full, change('e', 'PENDING'))).toBe(full);

    const longer = addRows(
      applyChange(full, withPosition('e', 501)),
      ['e'],
      [{ ...queuedRow(501), id: 'e' }],
    );
    expect(longer.queued).toHaveLength(501);
    expect(longer.queued.at(-1)!.queuePosition).toBeNull();

    const short = createLists([], waiting(3));
    expect(applyChange(short, change('e', 'PENDING')).unknown).toEqual(['e']);
  });

  it('number only sessions that wait for a slot, and put a more severe newcomer at its position', () => {
    const budget = {
      reason: 'BUDGET',
      message: 'Used up.',
      since: '2026-01-01T00:00:00.000Z',
      until: null,
    } as const;
    const read = createLists(
      [],
      [
        { ...row('b', 'PENDING'), waitingFor: budget },
        { ...row('c', 'PENDING'), queuePosition: 1 },
        { ...row('d', 'PENDING'), queuePosition: 2 },
      ],
    );
    expect(shape(read)).toBe('|c1d2bnull|');
    const newcomer = withPosition('e', 1);
    const added = addRows(applyChange(read, newcomer), ['e'], [{ ...row('e', 'PENDING'), queuePosition: 1 }]);
    expect(shape(added)).toBe('|e1c2d3bnull|');
    expect(shape(applyChange(added, change('e', 'IN_PROGRESS')))).toBe('e|c1d2bnull|');
  });

  it('need a refill when many listed sessions of a longer queue have started', () => {
    const begin = (from: SessionLists, count: number) =>
      from.queued.slice(0, count).reduce((now, { id }) => applyChange(now, change(id, 'COMPLETED')), from);
    const full = createLists(
      [],
      Array.from({ length: 500 }, (_, n) => queuedRow(n)),
    );
    expect(needsRefill(begin(full, 100))).toBe(false);
    expect(needsRefill(begin(full, 101))).toBe(true);
    const whole = createLists([], full.queued.slice(1));
    expect(needsRefill(begin(whole, 101))).toBe(false);
    expect(needsRefill(begin(applyChange(whole, change('e', 'PENDING')), 101))).toBe(true);
  });

  it('detect sessions that are missing after a new query', () => {
    const without = createLists(lists.active.slice(1), lists.queued);
    expect(hasMissingSessions(lists, without)).toBe(true);
    expect(hasMissingSessions(without, lists)).toBe(false);
    expect(hasMissingSessions(lists, createLists(lists.active, lists.queued))).toBe(false);
    expect(hasMissingSessions(null, lists)).toBe(false);
  });
});
