import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CancelledError, LeaseLostError, SessionTimeoutError } from '../common/interruptions.ts';
import { type Lease, startLeaseRenewal } from './lease-renewal.ts';

const LIMITS = { leaseDurationMs: 120, heartbeatIntervalMs: 20, sessionTimeoutMs: 60_000 };
const logger = pino({ level: 'silent' });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Renews a lease until its run is aborted. @returns the reason, and the time until then (ms) */
async function untilAborted(
  lease: Partial<Lease>,
  limits = LIMITS,
): Promise<{ reason: Error; afterMs: number }> {
  const startedAt = performance.now();
  const told = Promise.withResolvers<{ reason: Error; afterMs: number }>();
  const abort = (reason: Error) => told.resolve({ reason, afterMs: performance.now() - startedAt });
  const renew = async () => ({ cancel: false });
  const conclude = () => abort(new Error('conclude'));
  const stop = startLeaseRenewal(
    { sessionId: 's', elapsedMs: 0, renew, ...lease },
    limits,
    { abort, conclude },
    logger,
  );
  await vi.advanceTimersByTimeAsync(1_000);
  stop();
  return told.promise;
}

test('aborts at once when another worker owns the lease', async () => {
  const { reason, afterMs } = await untilAborted(
    { renew: async () => null },
    { ...LIMITS, leaseDurationMs: 60_000 },
  );
  expect(reason).toBeInstanceOf(LeaseLostError);
  expect(afterMs).toBe(LIMITS.heartbeatIntervalMs);
});

test('counts the lease as lost when it expires during a renewal that never ends', async () => {
  let calls = 0;
  const renew = () => {
    calls += 1;
    return new Promise<never>(() => {});
  };
  const { reason, afterMs } = await untilAborted({ renew });
  expect(calls).toBe(1); // a slow database gets no second renewal beside the first
  expect(reason).toBeInstanceOf(LeaseLostError);
  expect(afterMs).toBe(LIMITS.leaseDurationMs);
});

test('retries failed renewals until the lease expires, counted from the last successful one', async () => {
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

test('notices with a heartbeat that the run is cancelled', async () => {
  const { reason } = await untilAborted({ renew: async () => ({ cancel: true }) });
  expect(reason).toBeInstanceOf(CancelledError);
});

test('notices with a heartbeat that the run must conclude', async () => {
  const { reason } = await untilAborted({ renew: async () => ({ cancel: false, conclude: true }) });
  expect(reason).toEqual(new Error('conclude'));
});

test('counts the time of earlier runs', async () => {
  const { reason, afterMs } = await untilAborted({ elapsedMs: 59_990 });
  expect(reason).toBeInstanceOf(SessionTimeoutError);
  expect(afterMs).toBe(10);
});

test('counts the lease from the sending of its renewal, as the database does', async () => {
  let calls = 0;
  const renew = async () => {
    calls += 1;
    if (calls > 1) throw new Error('away');
    await new Promise((resolve) => setTimeout(resolve, 15));
    return { cancel: false };
  };
  const { afterMs } = await untilAborted({ renew });
  expect(afterMs).toBe(LIMITS.heartbeatIntervalMs + LIMITS.leaseDurationMs);
});
