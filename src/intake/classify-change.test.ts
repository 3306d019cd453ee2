import { expect, it } from 'vitest';
import { classifyChange } from './classify-change.ts';

const at = (time: string) => new Date(`2026-11-22T${time}:00Z`);
const known = {
  state: 'FIRING',
  severity: 'ERROR',
  episode: null,
  startsAt: at('10:00'),
  sentStartsAt: at('10:00'),
  endsAt: null,
  reportedAt: at('10:00'),
  lastReceivedAt: at('10:00'),
} as const;
const report = {
  state: 'FIRING',
  severity: 'CRITICAL',
  episode: null,
  startsAt: at('10:00'),
  endsAt: null,
  reportedAt: at('10:01'),
  mayReuseStart: false,
} as const;

it('takes a later report of a resolution as the truth, although its start is earlier', () => {
  const end = { ...report, state: 'RESOLVED', startsAt: at('09:00') } as const;
  expect(classifyChange(known, end, at('10:01'))).toBe('RESOLVED');
  expect(classifyChange({ ...known, reportedAt: null }, end, at('10:01'))).toBe('OLD');
});

it('ignores an older report that arrives within an hour; one that is older still has another clock', () => {
  const older = { ...report, reportedAt: at('09:59') };
  expect(classifyChange(known, older, at('10:59'))).toBe('OLD');
  expect(classifyChange(known, older, at('11:00'))).toBe('WORSE');
});
