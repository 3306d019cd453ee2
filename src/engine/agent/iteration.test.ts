import { expect, test } from 'vitest';
import { LlmError, ModelCallError } from '../model/errors.ts';
import { LoopDetectedError } from '../model/loop-detector.ts';
import {
  conclusionRetry,
  createIterationState,
  failureFeedback,
  recordEmpty,
  recordFailure,
} from './iteration.ts';

const llm = (code: string, retryable = true) => new LlmError(code, 'text', retryable);
const after = (cause: unknown, partial = '') => new ModelCallError(cause, partial);
const BUSY = llm('rate_limited');
const SILENT = llm('first_token_timeout');
const codec = { partial: (text: string) => text, conclusionPrompt: (words: string) => words };

/** Returns the status with which an agent fails after these failures; `null` while it may try again. */
function statusesAfter(...causes: unknown[]) {
  const state = createIterationState();
  return causes.map((cause) => recordFailure(state, after(cause), 4)?.status ?? null);
}

test('an agent fails after two timeouts in a row, or as many failures as configured', () => {
  expect(statusesAfter(SILENT, SILENT)).toEqual([null, 'TIMED_OUT']);
  expect(statusesAfter(SILENT, BUSY, SILENT)).toEqual([null, null, null]);
  expect(statusesAfter(BUSY, BUSY, BUSY, BUSY)).toEqual([null, null, null, 'FAILED']);
});

test('an agent fails at once after a failure that a repetition cannot avoid', () => {
  expect(statusesAfter(llm('invalid_credentials', false))).toEqual(['FAILED']);
  expect(statusesAfter(llm('output_truncated', false))).toEqual([null]);
  expect(statusesAfter(new LoopDetectedError('again and again'))).toEqual([null]);
});

test('an agent fails after its third empty response in a row', () => {
  const state = createIterationState();
  recordFailure(state, after(BUSY), 4);
  expect([recordEmpty(state), recordEmpty(state), recordEmpty(state)]).toEqual([true, true, false]);
  expect(state.lastFailure).toBeNull();
});

test('a model is told why its response was interrupted, and what it had written', () => {
  expect(failureFeedback(after(BUSY, 'I saw'), codec)).toMatch(/connection was lost.*I saw$/s);
  expect(failureFeedback(after(BUSY, 'x'.repeat(3_000)), codec)).toMatch(/[^x]x{2000}$/);
  expect(failureFeedback(after(SILENT), codec)).toContain('took too long');
  expect(failureFeedback(after(BUSY), codec)).toBeNull(); // the model cannot avoid it
});

test('a model does not get its own loop back', () => {
  const feedback = failureFeedback(after(new LoopDetectedError('again'), 'again again'), codec);
  expect(feedback).toContain('it repeated itself and was stopped');
  expect(feedback).not.toContain('again again');
});

test('a conclusion is asked for once more only if that may help', () => {
  expect(conclusionRetry(after(llm('malformed_tool_call', false)), codec)!.feedback).toContain('no analysis');
  expect(conclusionRetry(after(BUSY), codec)).toEqual({ feedback: null });
  expect(conclusionRetry(after(llm('output_truncated', false)), codec)!.feedback).toContain('output limit');
  expect(conclusionRetry(after(llm('invalid_credentials', false)), codec)).toBeNull();
});
