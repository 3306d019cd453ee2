import { expect, it } from 'vitest';
import { type Decision, foldDecisions } from './fold-decisions.ts';

const decision = (id: string, title: string | null, more: Partial<Decision> = {}): Decision => ({
  id,
  at: '2026-11-22T12:00:00Z',
  outcome: 'INVESTIGATED',
  reason: 'New.',
  rule: null,
  alert: title === null ? null : { id: `alert-${id}`, title },
  session: null,
  silence: null,
  ...more,
});

it('tells what was decided for several alerts of a delivery once', () => {
  const folded = foldDecisions([decision('1', 'Disk'), decision('2', 'CPU'), decision('3', 'Disk')]);
  expect(folded).toMatchObject([{ id: '1', titles: ['CPU', 'Disk'], alerts: 3 }]);
});

it.each([
  ['another moment', { at: '2026-11-22T12:00:01Z' }],
  ['another outcome', { outcome: 'JOINED' }],
  ['another reason', { reason: 'Worse.' }],
  ['another rule', { rule: 'quiet' }],
] as const)('keeps apart what has %s', (_what, more) => {
  expect(foldDecisions([decision('1', 'Disk'), decision('2', 'Disk', more)])).toHaveLength(2);
});

it('says of what no delivery asked for that it is about no alert', () => {
  expect(foldDecisions([decision('1', null)])).toMatchObject([{ titles: [], alerts: 0 }]);
});
