import { expect, test } from 'vitest';
import { type Level, refusalOf } from './plan.ts';

const limits = { maxAgents: 4, maxConcurrentAgents: 2, agentTimeoutMs: 1_000, maxBudgetMs: 60_000 };
const level = (now: Partial<Omit<Level, 'limits'>> = {}): Level => ({
  limits,
  begun: 0,
  running: 0,
  workedMs: () => 0,
  ...now,
});

test.each([
  ['the first', [level()], null],
  ['the last of all', [level({ begun: 3 })], null],
  ['one more', [level({ begun: 4 })], 'All 4 sub-agents were given tasks'],
  ['the last at once', [level({ running: 1 })], null],
  ['one more at once', [level({ running: 2 })], '2 sub-agents are at work'],
  ['in time', [level({ workedMs: () => 59_999 })], null],
  ['too late', [level({ workedMs: () => 60_000 })], 'The time for sub-agents (1m) is over'],
  ['below an agent that may have no more', [level({ begun: 4 }), level()], 'All 4 sub-agents'],
  ['below an agent whose time is over', [level({ workedMs: () => 60_000 }), level()], 'is over'],
  ['two levels below', [level(), level(), level()], null],
  ['three levels below', [level(), level(), level(), level()], 'at most 3 levels deep'],
])('%s', (_, levels, expected) => {
  const refusal = refusalOf(levels);
  if (expected === null) expect(refusal).toBeNull();
  else expect(refusal).toContain(expected);
});
