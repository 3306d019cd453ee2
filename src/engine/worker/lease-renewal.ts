import type { Logger } from 'pino';
import { CancelledError, LeaseLostError, SessionTimeoutError } from '../common/interruptions.ts';

/**
 * Renews a lease. Aborts the run when the job is cancelled, out of time, or its lease is lost. A lease counts as lost
 * when no renewal succeeds for its whole duration. @returns a function that stops the renewal
 */
export function startLeaseRenewal(
  { sessionId, elapsedMs, renew }: Lease,
  limits: LeaseLimits,
  { abort, conclude }: { abort: (reason: Error) => void; conclude: () => void },
  logger: Logger,
): () => void {
  const abortAsLost = () => abort(new LeaseLostError(sessionId));
  let expiry = setTimeout(abortAsLost, limits.leaseDurationMs);
  let isRenewing = false;
  let isStopped = false;

  async function beat(): Promise<void> {
    if (isRenewing) return;
    isRenewing = true;
    const sentAt = performance.now();
    try {
      const renewed = await renew();
      if (renewed === null) return abortAsLost();
      clearTimeout(expiry);
      // Counts from the sending of the renewal, because the database's lease starts before the response arrives.
      const remainingMs = limits.leaseDurationMs - (performance.now() - sentAt);
      if (!isStopped) expiry = setTimeout(abortAsLost, Math.max(0, remainingMs));
      if (renewed.cancel) abort(new CancelledError());
      if (renewed.conclude) conclude();
    } catch (error) {
      logger.warn({ err: error, sessionId }, 'lease not renewed');
    } finally {
      isRenewing = false;
    }
  }

  const heartbeat = setInterval(beat, limits.heartbeatIntervalMs);
  const remainingMs = Math.max(0, limits.sessionTimeoutMs - elapsedMs);
  const deadline = setTimeout(() => abort(new SessionTimeoutError(limits.sessionTimeoutMs)), remainingMs);
  return () => {
    isStopped = true;
    clearInterval(heartbeat);
    clearTimeout(expiry);
    clearTimeout(deadline);
  };
}

export interface Lease {
  sessionId: string;
  /** Used part of `sessionTimeoutMs` (ms), over all runs of the work, by the database's clock. */
  elapsedMs: number;
  /** Renews the lease; `null` if it is lost. `cancel`: true if the run must stop; `conclude`: if it must conclude. */
  renew: () => Promise<{ cancel: boolean; conclude?: boolean } | null>;
}

export interface LeaseLimits {
  leaseDurationMs: number;
  heartbeatIntervalMs: number;
  /** Maximum time (ms) of the work, over all its runs. */
  sessionTimeoutMs: number;
}
