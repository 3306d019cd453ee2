import { expect, test } from 'vitest';
import { stageOutcome } from './stage.ts';

const agent = (name: string, errorMessage: string | null) => ({
  name,
  status: errorMessage === null ? ('COMPLETED' as const) : ('FAILED' as const),
  finalAnalysis: errorMessage === null ? 'Known.' : null,
  errorMessage,
});

test('joins the reasons of failed agents, with or without a full stop at their end', () => {
  const agents = [agent('A', 'The provider refused the key.'), agent('B', null), agent('C', 'no answer')];
  expect(stageOutcome(agents, 'ALL').errorMessage).toBe(
    '2 of 3 agents did not complete (all must complete). A (failed): The provider refused the key; C (failed): no answer.',
  );
});

test('a stage has the status that all its failed agents share, otherwise it failed', () => {
  const late = { ...agent('A', 'too late'), status: 'TIMED_OUT' as const };
  expect(stageOutcome([late, late], 'ANY').status).toBe('TIMED_OUT');
  expect(stageOutcome([late, agent('B', null)], 'ALL').status).toBe('TIMED_OUT');
  expect(stageOutcome([late, agent('B', 'broken')], 'ANY').status).toBe('FAILED');
  expect(stageOutcome([late, agent('B', null)], 'ANY').status).toBe('COMPLETED');
});
