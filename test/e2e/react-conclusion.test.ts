import { afterEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { facts, investigate as runScript, SUMMARY } from '../helpers/react-session.ts';
import type { ScriptedResponse } from '../helpers/scripted-llm/index.ts';

let app: TestApp;
afterEach(() => app.stop());

/** Runs one alert with an agent without function calling. */
async function investigate(defaults: Record<string, unknown>, ...responses: ScriptedResponse[]) {
  app = await startTestApp({ defaults: { iteration_strategy: 'react', ...defaults } });
  return runScript(app, responses);
}

const CALL: ScriptedResponse = { text: 'Action: tools.echo\nAction Input: {"text": "hi"}' };

test('at the cap the model must write its final answer', async () => {
  const stored = await investigate(
    { max_iterations: 2 },
    CALL,
    CALL,
    { text: 'Thought: I must end.\nFinal Answer: What I know.\nAction: tools.echo\nAction Input: {}' },
    SUMMARY,
  );
  expect(stored.session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'What I know.' });
  expect(facts(stored.timeline).slice(2, 4)).toEqual([
    ['LLM_THINKING', 'COMPLETED', 'I must end.'],
    ['FINAL_ANALYSIS', 'COMPLETED', 'What I know.'],
  ]);
  expect(stored.timeline[3]!.metadata).toEqual({
    forced_conclusion: true,
    reason: 'iterations',
    iterations_used: 2,
    max_iterations: 2,
  });
  expect(app.llm.requests[2]!.messages.at(-1)!.content).toMatch(/2 of 2 iterations.*Final Answer:/s);
});

test('accepts a forced conclusion without its header', async () => {
  const { session, timeline } = await investigate(
    { max_iterations: 1 },
    CALL,
    { text: 'It said hi,\nthat is all.' },
    SUMMARY,
  );
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'It said hi,\nthat is all.' });
  expect(timeline[1]).toMatchObject({ type: 'FINAL_ANALYSIS', metadata: { forced_conclusion: true } });
});

test('asks once more if the forced conclusion only requests a tool', async () => {
  const answer = { text: 'Final Answer: It said hi.' };
  const { session } = await investigate({ max_iterations: 1 }, CALL, CALL, answer, SUMMARY);
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'It said hi.' });
  const again = app.llm.requests[2]!.messages.at(-1)!.content;
  expect(again).toMatch(/no analysis.*no more tool calls.*Final Answer:/s);
});

test('fails if the second conclusion only requests a tool too', async () => {
  const { session } = await investigate({ max_iterations: 1 }, CALL, CALL, CALL);
  expect(session).toMatchObject({ status: 'FAILED', errorMessage: 'The model gave no conclusion.' });
});

test('an interrupted response is written again from its beginning', async () => {
  const { session, timeline, messages } = await investigate(
    {},
    [
      { text: 'Thought: It may be the di' },
      { error: { code: 'provider_overloaded', message: 'busy', retryable: true } },
    ],
    { text: '' },
    { text: 'Final Answer: The disk.' },
    SUMMARY,
  );
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'The disk.' });
  expect(facts(timeline).slice(0, 2)).toEqual([
    ['LLM_RESPONSE', 'FAILED', 'It may be the di'],
    ['ERROR', 'COMPLETED', 'provider_overloaded: busy'],
  ]);
  expect(messages.map(({ role }) => role).join(' ')).toBe('SYSTEM USER USER USER ASSISTANT');
  expect(messages[2]!.content).toContain('Thought: It may be the di');
  expect(messages[2]!.content).toContain('Write the whole response again');
});

test('a failed last call before the cap fails the agent', async () => {
  const { session } = await investigate({ max_iterations: 1 }, [
    { error: { code: 'provider_error', message: 'later', retryable: true } },
  ]);
  expect(session.status).toBe('FAILED');
  expect(session.errorMessage).toContain('the last one failed: provider_error: later');
});
