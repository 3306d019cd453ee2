import { expect, test } from 'vitest';
import { type Level, refusalOf } from './plan.ts';

const limits = { maxAgents: 4, maxConcurrentAgents: 2, agentTimeoutMs: 1_000, maxBudgetMs: 60_000 };
const level = (now: Partial<Omit<Level, 'limits'>> = {}): Level => ({
  limits,
  started: 0,
  running: 0,
  workedMs: () => 0,
  ...now,
});

test.each([
  ['the first sub-agent', [level()], null],
  ['the last sub-agent', [level({ started: 3 })], null],
  ['one more than the limit', [level({ started: 4 })], 'All 4 sub-agents have been given tasks'],
  ['the last at the same time', [level({ running: 1 })], null],
  ['one more at the same time', [level({ running: 2 })], '2 sub-agents are working'],
  ['within the time budget', [level({ workedMs: () => 59_999 })], null],
  ['after the time budget', [level({ workedMs: () => 60_000 })], 'The time for sub-agents (1m) is over'],
  ['below an agent at its limit', [level({ started: 4 }), level()], 'All 4 sub-agents'],
  ['below an agent after its time budget', [level({ workedMs: () => 60_000 }), level()], 'is over'],
  ['two levels below', [level(), level(), level()], null],
  ['three levels below', [level(), level(), level(), level()], 'at most 3 levels deep'],
])('%s', (_, levels, expected) => {
  const refusal = refusalOf(levels);
  if (expected === null) expect(refusal).toBeNull();
  else expect(refusal).toContain(expected);
});
