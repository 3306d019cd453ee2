import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LlmError } from '../errors.ts';
import { createLlmOutages, isOutage } from './provider-availability.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

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
  expect(isOutage(new LlmError(code, 'text', true))).toBe(is);
});

test('each failure after a wait doubles the next one, up to half a minute; an answer ends that', () => {
  const outages = createLlmOutages(() => 1);
  const waits: number[] = [];
  expect(outages.waitMs('a')).toBe(0);
  for (let n = 0; n < 7; n += 1) {
    outages.failed('a');
    outages.failed('a'); // another agent that was under way: it knew no better
    const wait = outages.waitMs('a');
    waits.push(Math.round(wait / 1.1));
    vi.advanceTimersByTime(wait);
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(outages.waitMs('b')).toBe(0);
  outages.ended('a');
  outages.failed('a');
  expect(Math.round(outages.waitMs('a') / 1.1)).toBe(1_000);
});

test('a wait that the provider asks for is kept', () => {
  const outages = createLlmOutages(() => 0);
  outages.failed('a', 90_000);
  expect(outages.waitMs('a')).toBe(90_000);
  outages.failed('b', 10);
  expect(outages.waitMs('b')).toBe(500);
});

test('a longer wait is kept that another agent was asked for meanwhile, a shorter one is not', () => {
  const outages = createLlmOutages(() => 0);
  outages.failed('a');
  outages.failed('a', 90_000);
  outages.failed('a', 10_000);
  expect(outages.waitMs('a')).toBe(90_000);
  vi.advanceTimersByTime(90_000);
  outages.failed('a');
  expect(outages.waitMs('a')).toBe(1_000); // the second failure, not the fourth
});
