import { expect, test } from 'vitest';
import { stageOutcome } from './stage.ts';

const agent = (name: string, errorMessage: string | null) => ({
  name,
  status: errorMessage === null ? ('COMPLETED' as const) : ('FAILED' as const),
  finalAnalysis: errorMessage === null ? 'Known.' : null,
  errorMessage,
});

test('what failed is told in one sentence, whatever stands at the end of the reasons', () => {
  const agents = [agent('A', 'The provider refused the key.'), agent('B', null), agent('C', 'no answer')];
  expect(stageOutcome(agents, 'ALL').errorMessage).toBe(
    '2 of 3 agents did not complete (all must complete). A (failed): The provider refused the key; C (failed): no answer.',
  );
});
