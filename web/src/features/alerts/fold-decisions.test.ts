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

it('joins equal decisions about the alerts of one delivery', () => {
  const folded = foldDecisions([decision('1', 'Disk'), decision('2', 'CPU'), decision('3', 'Disk')]);
  expect(folded).toMatchObject([{ id: '1', titles: ['CPU', 'Disk'], alerts: 3 }]);
});

it.each([
  ['another moment', { at: '2026-11-22T12:00:01Z' }],
  ['another outcome', { outcome: 'JOINED' }],
  ['another reason', { reason: 'Worse.' }],
  ['another rule', { rule: 'quiet' }],
] as const)('keeps decisions with %s apart', (_what, more) => {
  expect(foldDecisions([decision('1', 'Disk'), decision('2', 'Disk', more)])).toHaveLength(2);
});

it('lists no alert for a decision without a delivery', () => {
  expect(foldDecisions([decision('1', null)])).toMatchObject([{ titles: [], alerts: 0 }]);
});
