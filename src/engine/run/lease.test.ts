import { pino } from 'pino';
import { expect, test } from 'vitest';
import { CancelledError, SessionTimeoutError } from './abort.ts';
import { LeaseLostError } from './break-off.ts';
import { keepLease, type Lease } from './lease.ts';

const LIMITS = { leaseDurationMs: 120, heartbeatIntervalMs: 20, sessionTimeoutMs: 60_000 };
const logger = pino({ level: 'silent' });

/** Keeps a lease until its work is told to stop. @returns why, and after how many milliseconds */
async function untilAborted(
  lease: Partial<Lease>,
  limits = LIMITS,
): Promise<{ reason: Error; afterMs: number }> {
  const begunAt = performance.now();
  const told = Promise.withResolvers<Error>();
  const renew = async () => ({ cancel: false });
  const stop = keepLease({ sessionId: 's', elapsedMs: 0, renew, ...lease }, limits, told.resolve, logger);
  const reason = await told.promise;
  stop();
  return { reason, afterMs: performance.now() - begunAt };
}

/** Timers count whole milliseconds. */
const LEASE_MS = LIMITS.leaseDurationMs - 2;

test('a lease that is somebody else’s is lost at once', async () => {
  const { reason, afterMs } = await untilAborted(
    { renew: async () => null },
    { ...LIMITS, leaseDurationMs: 60_000 },
  );
  expect(reason).toBeInstanceOf(LeaseLostError);
  expect(afterMs).toBeLessThan(60_000);
});

test('a renewal that never comes to its end counts as lost when the lease has run out', async () => {
  const { reason, afterMs } = await untilAborted({ renew: () => new Promise(() => {}) });
  expect(reason).toBeInstanceOf(LeaseLostError);
  expect(afterMs).toBeGreaterThanOrEqual(LEASE_MS);
});

test('renewals that fail are tried again until the lease has run out, counted from the last that worked', async () => {
  let calls = 0;
  let workedAt = 0;
  const renew = async () => {
    calls += 1;
    if (calls > 4) throw new Error('away');
    workedAt = performance.now();
    return { cancel: false };
  };
  const { reason } = await untilAborted({ renew });
  expect(reason).toBeInstanceOf(LeaseLostError);
  expect(performance.now() - workedAt).toBeGreaterThanOrEqual(LEASE_MS);
  expect(calls).toBeGreaterThan(5);
});

test('the heartbeat tells of a cancel that was not told otherwise', async () => {
  const { reason } = await untilAborted({ renew: async () => ({ cancel: true }) });
  expect(reason).toBeInstanceOf(CancelledError);
});

test('the time of earlier runs counts', async () => {
  const { reason, afterMs } = await untilAborted({ elapsedMs: 59_990 });
  expect(reason).toBeInstanceOf(SessionTimeoutError);
  expect(afterMs).toBeLessThan(59_990);
});
