import { expect, test } from 'vitest';
import { classifyModelError, LlmError } from './errors.ts';

/** Every code of docs/reference/llm-errors.md and of our own client. */
test.each([
  ['missing_credentials', 'REFUSED', 0],
  ['invalid_credentials', 'REFUSED', 0],
  ['backend_not_available', 'REFUSED', 0],
  ['certificate', 'REFUSED', 0],
  ['unexpected_answer', 'REFUSED', 0],
  ['max_retries', 'BUSY', 0],
  ['rate_limited', 'BUSY', 0],
  ['provider_unavailable', 'BUSY', 0],
  ['transport', 'BUSY', 0],
  ['initial_timeout', 'SILENT', 1],
  ['first_token_timeout', 'SILENT', 1],
  ['partial_stream_error', 'BROKEN_OFF', 0],
  ['stall_timeout', 'BROKEN_OFF', 0],
  ['llm_call_timeout', 'BROKEN_OFF', 0],
  ['provider_error', 'BROKEN_OFF', 0],
  ['malformed_tool_call', 'MALFORMED', 1],
  ['empty_response', 'MALFORMED', 1],
  ['context_too_long', 'TOO_LONG', 0],
])('%s falls back as %s, after %i retries', (code, reason, retries) => {
  expect(classifyModelError(new LlmError(code, 'text', true))).toMatchObject({
    fallbackReason: reason,
    retries,
  });
});

test.each([
  'invalid_request',
  'content_blocked',
  'output_truncated',
  'message_too_large',
  'invalid_response',
  'stream_broken',
  'llm_service_unavailable',
  'llm_service_error',
  'service_stopping',
  'client_closed',
  'internal',
  'llm_outage',
  'a_code_of_tomorrow',
])('%s does not fall back', (code) => {
  expect(classifyModelError(new LlmError(code, 'text', true)).fallbackReason).toBeNull();
});

test.each([
  [404, 'REFUSED'],
  [301, 'REFUSED'],
  [307, 'REFUSED'],
  [400, null],
  [422, null],
  [0, null],
])('a request that is rejected with HTTP status %i falls back as %s', (httpStatus, reason) => {
  const error = new LlmError('invalid_request', 'text', false, { httpStatus });
  expect(classifyModelError(error).fallbackReason).toBe(reason);
});

test('an exhausted quota counts as refused, a rate limit as busy', () => {
  const asking = (retryAfterMs: number) => new LlmError('rate_limited', 'text', true, { retryAfterMs });
  expect(classifyModelError(asking(86_400_000)).fallbackReason).toBe('REFUSED');
  expect(classifyModelError(asking(90_000)).fallbackReason).toBe('BUSY');
});

test('an exhausted quota is an outage too, because the provider accepts the same request later', () => {
  const error = new LlmError('rate_limited', 'text', true, { retryAfterMs: 86_400_000 });
  expect(classifyModelError(error).isOutage).toBe(true);
});

test('an error that is not of the LLM service does not fall back', () => {
  expect(
    classifyModelError(new DOMException('The time limit was reached.', 'TimeoutError')).fallbackReason,
  ).toBeNull();
  expect(classifyModelError(new Error('ours')).fallbackReason).toBeNull();
});

test.each([
  ['llm_service_unavailable', true],
  ['first_token_timeout', true],
  ['rate_limited', true],
  ['max_retries', true],
  ['empty_response', false],
  ['malformed_tool_call', false],
  ['stream_broken', false],
  ['stall_timeout', false],
  ['invalid_credentials', false],
  ['context_too_long', false],
])('%s is an outage: %s', (code, is) => {
  expect(classifyModelError(new LlmError(code, 'text', true)).isOutage).toBe(is);
});
