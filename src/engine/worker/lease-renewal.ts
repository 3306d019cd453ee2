import type { Logger } from 'pino';
import { CancelledError, LeaseLostError, SessionTimeoutError } from '../common/interruptions.ts';
import type { Lease, LeaseLimits } from '../store/lease.ts';

/**
 * Prolongs a lease until stopped, and tells why the work must stop: it is cancelled, out of time, or the lease is lost,
 * which it is too when it could not be prolonged for as long as it lasts, whether that failed or never came to an end.
 * @returns stops it
 */
export function startLeaseRenewal(
  { sessionId, elapsedMs, renew }: Lease,
  limits: LeaseLimits,
  abort: (reason: Error) => void,
  logger: Logger,
): () => void {
  const lost = () => abort(new LeaseLostError(sessionId));
  let silence = setTimeout(lost, limits.leaseDurationMs);
  let renewing = false;

  async function beat(): Promise<void> {
    if (renewing) return;
    renewing = true;
    const sentAt = performance.now();
    try {
      const renewed = await renew();
      if (renewed === null) return lost();
      clearTimeout(silence);
      // The lease runs from when the database heard of it, not from when we hear that it did.
      silence = setTimeout(lost, Math.max(0, limits.leaseDurationMs - (performance.now() - sentAt)));
      if (stopped) clearTimeout(silence);
      if (renewed.cancel) abort(new CancelledError());
    } catch (error) {
      logger.warn({ err: error, sessionId }, 'lease could not be prolonged');
    } finally {
      renewing = false;
    }
  }

  let stopped = false;
  const heartbeat = setInterval(beat, limits.heartbeatIntervalMs);
  const left = Math.max(0, limits.sessionTimeoutMs - elapsedMs);
  const deadline = setTimeout(() => abort(new SessionTimeoutError(limits.sessionTimeoutMs)), left);
  return () => {
    stopped = true;
    clearInterval(heartbeat);
    clearTimeout(silence);
    clearTimeout(deadline);
  };
}
