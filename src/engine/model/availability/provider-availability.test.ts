import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CIRCUIT_FAILURES, CIRCUIT_OPEN_MS, createProviderAvailability } from './provider-availability.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

function setUp(random = 0) {
  const changes: [string, boolean][] = [];
  const availability = createProviderAvailability((provider, open) => void changes.push([provider, open]), {
    random: () => random,
  });
  return { availability, changes };
}

describe('the circuit', () => {
  test('opens at the first refusal, for that provider alone', () => {
    const { availability, changes } = setUp();
    availability.failed('a', 'REFUSED');
    expect(availability.isOpen('a')).toBe(true);
    expect([availability.admits('a'), availability.admits('b')]).toEqual([false, true]);
    expect(changes).toEqual([['a', true]]);
  });

  test.each(['BUSY', 'SILENT', 'BROKEN_OFF', 'MALFORMED'] as const)(
    'opens after some failures in a row (%s)',
    (reason) => {
      const { availability, changes } = setUp();
      for (let n = 1; n < CIRCUIT_FAILURES; n += 1) availability.failed('a', reason);
      expect(availability.admits('a')).toBe(true);
      availability.answered('a'); // the next failure starts a new count
      for (let n = 1; n < CIRCUIT_FAILURES; n += 1) availability.failed('a', reason);
      expect(changes).toEqual([]);
      availability.failed('a', reason);
      expect(availability.admits('a')).toBe(false);
      expect(changes).toEqual([['a', true]]);
    },
  );

  test('stays closed if a conversation is too long', () => {
    const { availability } = setUp();
    for (let n = 0; n <= CIRCUIT_FAILURES; n += 1) availability.failed('a', 'TOO_LONG');
    expect(availability.admits('a')).toBe(true);
  });

  test('admits one call after its time: a failure keeps it open, an answer closes it', () => {
    const { availability, changes } = setUp();
    availability.failed('a', 'REFUSED');
    vi.advanceTimersByTime(CIRCUIT_OPEN_MS - 1);
    expect(availability.admits('a')).toBe(false);
    vi.advanceTimersByTime(1);
    expect(availability.isOpen('a')).toBe(false);
    expect([availability.admits('a'), availability.admits('a')]).toEqual([true, false]);
    availability.failed('a', 'BUSY');
    vi.advanceTimersByTime(CIRCUIT_OPEN_MS - 1);
    expect(availability.admits('a')).toBe(false);
    vi.advanceTimersByTime(1);
    expect(availability.admits('a')).toBe(true);
    availability.answered('a');
    expect([availability.admits('a'), availability.admits('a')]).toEqual([true, true]);
    expect(changes).toEqual([
      ['a', true],
      ['a', false],
    ]);
  });

  test('stays open for its whole time after the failure of the admitted call, however long that call took', () => {
    const { availability } = setUp();
    availability.failed('a', 'REFUSED');
    vi.advanceTimersByTime(CIRCUIT_OPEN_MS);
    expect(availability.admits('a')).toBe(true);
    vi.advanceTimersByTime(CIRCUIT_OPEN_MS - 1);
    availability.failed('a', 'SILENT');
    vi.advanceTimersByTime(CIRCUIT_OPEN_MS - 1);
    expect(availability.isOpen('a')).toBe(true);
  });

  test('admits another call if the first one never reported its outcome', () => {
    const { availability } = setUp();
    availability.failed('a', 'REFUSED');
    vi.advanceTimersByTime(CIRCUIT_OPEN_MS);
    expect(availability.admits('a')).toBe(true);
    expect(availability.admits('a')).toBe(false);
    vi.advanceTimersByTime(CIRCUIT_OPEN_MS);
    expect(availability.admits('a')).toBe(true);
  });
});

describe('the back-off', () => {
  test('doubles with each outage up to ten seconds; an answer ends it', () => {
    const { availability } = setUp(1);
    const waits: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      availability.backOff('a');
      const wait = availability.backOff('a'); // another agent's call that was under way already
      waits.push(Math.round(wait / 1.1));
      vi.advanceTimersByTime(wait);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
    expect(Math.round(availability.backOff('b') / 1.1)).toBe(1_000);
    availability.answered('a');
    expect(Math.round(availability.backOff('a') / 1.1)).toBe(1_000);
  });

  test('is as long as the provider asks for', () => {
    const { availability } = setUp();
    expect(availability.backOff('a', 90_000)).toBe(90_000);
    expect(availability.backOff('b', 10)).toBe(500);
  });

  test('grows if another agent is asked for a longer wait, and does not shrink', () => {
    const { availability } = setUp();
    availability.backOff('a');
    expect(availability.backOff('a', 90_000)).toBe(90_000);
    expect(availability.backOff('a', 10_000)).toBe(90_000);
    vi.advanceTimersByTime(90_000);
    expect(availability.backOff('a')).toBe(1_000); // the second outage, not the fourth
  });
});
