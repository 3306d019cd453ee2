import { describe, expect, it } from 'vitest';
import { countText, standstills, type WaitingWork, waitLabel } from './waits.ts';

const work = (reason: WaitingWork['reason']): WaitingWork => ({
  ...{ reason, message: reason, sessions: 1, alertGroups: 0, since: '2026-01-01T00:00:00.000Z' },
});
const waiting = (reason: WaitingWork['reason']) => ({ ...work(reason), until: null });

describe('waits', () => {
  it('report a standstill, not a queue, a pending approval or a wait for more alerts', () => {
    const all = (['SLOT', 'BUDGET', 'APPROVAL', 'MODEL_UNAVAILABLE', 'GROUP_WAIT', 'TOOLS'] as const).map(
      work,
    );
    expect(standstills(all).map(({ reason }) => reason)).toEqual(['BUDGET', 'MODEL_UNAVAILABLE', 'TOOLS']);
  });

  it('count sessions and alert groups', () => {
    expect(countText({ sessions: 1, alertGroups: 0 })).toBe('1 session');
    expect(countText({ sessions: 1500, alertGroups: 2 })).toBe('1,500 sessions and 2 alert groups');
    expect(countText({ sessions: 0, alertGroups: 1 })).toBe('1 alert group');
  });

  it('name a position only for a session that has one', () => {
    expect(waitLabel(waiting('SLOT'), 3)).toBe('#3');
    expect(waitLabel(waiting('BUDGET'), null)).toBe('for a budget');
    expect(waitLabel(waiting('SLOT'), null)).toBeUndefined();
    expect(waitLabel(null, null)).toBeUndefined();
  });
});
