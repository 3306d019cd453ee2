import { expect, test } from 'vitest';
import { LlmError } from '../model/errors.ts';
import {
  CancelledError,
  HandedOverError,
  LeaseLostError,
  OverBudgetError,
  pausesOnlyThisAgent,
  SessionTimeoutError,
  SubAgentTimeoutError,
  statusOfFailure,
  WaitingForApprovalError,
} from './interruptions.ts';

const OVER = { reason: 'BUDGET', cause: 'day/', message: 'The budget day is used up.', until: null } as const;

test.each([
  [new CancelledError(), 'CANCELLED'],
  [new HandedOverError(), 'CANCELLED'],
  [new SessionTimeoutError(1), 'TIMED_OUT'],
  [new SubAgentTimeoutError(null), 'TIMED_OUT'],
  [new DOMException('The time was used up.', 'TimeoutError'), 'TIMED_OUT'],
  [new LlmError('first_token_timeout', 'silent', true), 'TIMED_OUT'],
  [new LlmError('rate_limited', 'busy', true), 'FAILED'],
  ['no error', 'FAILED'],
])('work that ends with %s is %s', (error, status) => {
  expect(statusOfFailure(error)).toBe(status);
});

test('waits for approvals and budgets pause only their agent', () => {
  expect([new WaitingForApprovalError(), new OverBudgetError(OVER)].every(pausesOnlyThisAgent)).toBe(true);
  expect([new HandedOverError(), new LeaseLostError('s')].some(pausesOnlyThisAgent)).toBe(false);
});

test.each([
  [999, '999 ms'],
  [1_000, '1 s'],
  [1_500, '2 s'],
  [119_000, '119 s'],
  [120_000, '2 min'],
  [150_000, '3 min'],
])('names a limit of %i ms in a readable unit', (ms, text) => {
  expect(new SessionTimeoutError(ms).message).toContain(`limit of ${text}.`);
  expect(new SubAgentTimeoutError(ms).message).toContain(`within its limit of ${text}.`);
});

test('says that a sub-agent ran out of the time of its agent', () => {
  expect(new SubAgentTimeoutError(null).message).toBe(
    'The sub-agent came to no conclusion before its agent had to conclude.',
  );
});
