import { expect, test } from 'vitest';
import { runScenario, SCENARIOS } from './run.ts';

test.each(SCENARIOS)('official client scenario: %s', { timeout: 90_000 }, async (scenario) => {
  const { passed, output } = await runScenario(scenario);
  expect(passed, output).toBe(true);
});

test('a scenario that is not met fails', { timeout: 90_000 }, async () => {
  expect((await runScenario('elicitation-sep1034-client-defaults')).passed).toBe(false);
});
