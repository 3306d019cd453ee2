import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CancelledError, LeaseLostError, SessionTimeoutError } from '../common/interruptions.ts';
import type { Lease } from '../store/lease.ts';
import { startLeaseRenewal } from './lease-renewal.ts';

const LIMITS = { leaseDurationMs: 120, heartbeatIntervalMs: 20, sessionTimeoutMs: 60_000 };
const logger = pino({ level: 'silent' });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Keeps a lease until its work is told to stop. @returns why, and after how many milliseconds */
async function untilAborted(
  lease: Partial<Lease>,
  limits = LIMITS,
): Promise<{ reason: Error; afterMs: number }> {
  const begunAt = performance.now();
  const told = Promise.withResolvers<{ reason: Error; afterMs: number }>();
  const abort = (reason: Error) => told.resolve({ reason, afterMs: performance.now() - begunAt });
  const renew = async () => ({ cancel: false });
  const stop = startLeaseRenewal({ sessionId: 's', elapsedMs: 0, renew, ...lease }, limits, abort, logger);
  await vi.advanceTimersByTimeAsync(1_000);
  stop();
  return told.promise;
}

test('a lease that is somebody else’s is lost at once', async () => {
  const { reason, afterMs } = await untilAborted(
    { renew: async () => null },
    { ...LIMITS, leaseDurationMs: 60_000 },
  );
  expect(reason).toBeInstanceOf(LeaseLostError);
  expect(afterMs).toBe(LIMITS.heartbeatIntervalMs);
});

test('a renewal that never comes to its end counts as lost when the lease has run out', async () => {
  const { reason, afterMs } = await untilAborted({ renew: () => new Promise(() => {}) });
  expect(reason).toBeInstanceOf(LeaseLostError);
  expect(afterMs).toBe(LIMITS.leaseDurationMs);
});

test('renewals that fail are tried again until the lease has run out, counted from the last that worked', async () => {
  let calls = 0;
  const renew = async () => {
    calls += 1;
    if (calls > 4) throw new Error('away');
    return { cancel: false };
  };
  const { reason, afterMs } = await untilAborted({ renew });
  expect(reason).toBeInstanceOf(LeaseLostError);
  expect(afterMs).toBe(4 * LIMITS.heartbeatIntervalMs + LIMITS.leaseDurationMs);
  expect(calls).toBeGreaterThan(5);
});

test('the heartbeat tells of a cancel that was not told otherwise', async () => {
  const { reason } = await untilAborted({ renew: async () => ({ cancel: true }) });
  expect(reason).toBeInstanceOf(CancelledError);
});

test('the time of earlier runs counts', async () => {
  const { reason, afterMs } = await untilAborted({ elapsedMs: 59_990 });
  expect(reason).toBeInstanceOf(SessionTimeoutError);
  expect(afterMs).toBe(10);
});
