import { expect, test } from 'vitest';
import { LlmError } from '../errors.ts';
import { triggerOf } from './provider-availability.ts';

/** Every code of docs/llm-service.md and of our own client, with what it means for the provider. */
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
])('%s: %s, tried again %i times', (code, reason, retries) => {
  expect(triggerOf(new LlmError(code, 'text', true))).toEqual({ reason, retries });
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
])('%s is no reason to turn to another', (code) => {
  expect(triggerOf(new LlmError(code, 'text', true))).toBeNull();
});

test.each([
  [404, 'REFUSED'],
  [301, 'REFUSED'],
  [307, 'REFUSED'],
  [400, undefined],
  [422, undefined],
  [0, undefined],
])('a request that the provider refuses with %i', (httpStatus, reason) => {
  const error = new LlmError('invalid_request', 'text', false, { httpStatus });
  expect(triggerOf(error)?.reason).toBe(reason);
});

test('a quota that is used up refuses; a rate limit is busy', () => {
  const asking = (retryAfterMs: number) => new LlmError('rate_limited', 'text', true, { retryAfterMs });
  expect(triggerOf(asking(86_400_000))?.reason).toBe('REFUSED');
  expect(triggerOf(asking(90_000))?.reason).toBe('BUSY');
});

test('what is no failure of a call is none of a provider', () => {
  expect(triggerOf(new DOMException('The time limit was reached.', 'TimeoutError'))).toBeNull();
  expect(triggerOf(new Error('ours'))).toBeNull();
});
