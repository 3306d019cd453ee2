import type { Logger } from 'pino';
import type { QueueConfig } from '../../config/types.ts';
import { CancelledError, mustNotWrite, SessionTimeoutError } from '../agent/abort.ts';
import { LeaseLostError } from '../events/log.ts';
import { TERMINAL_WRITE_RETRY_MS } from '../tunables.ts';

/** What a run holds while it works under a lease. */
export interface HeldLease {
  sessionId: string;
  /** When the work was first begun, over all attempts: its time runs from then. */
  startedAt: Date;
  /** Prolongs the lease and tells whether the work shall stop; null = the lease is lost. */
  renew: () => Promise<{ cancel: boolean } | null>;
  controller: AbortController;
}

/**
 * Keeps the lease until stopped, and aborts the work when it is cancelled, lost or out of time. A database that is away
 * is tried again until the lease has run out.
 * @returns stops it
 */
export function keepLease(held: HeldLease, queue: QueueConfig, logger: Logger): () => void {
  const { sessionId, controller } = held;
  let renewedAt = performance.now();
  const heartbeat = setInterval(async () => {
    try {
      const renewed = await held.renew();
      if (renewed === null) controller.abort(new LeaseLostError(sessionId));
      else renewedAt = performance.now();
      if (renewed?.cancel) controller.abort(new CancelledError());
    } catch (error) {
      logger.warn({ err: error, sessionId }, 'lease could not be prolonged');
      const silent = performance.now() - renewedAt;
      if (silent > queue.leaseDurationMs) controller.abort(new LeaseLostError(sessionId));
    }
  }, queue.heartbeatIntervalMs);
  const left = Math.max(0, held.startedAt.getTime() + queue.sessionTimeoutMs - Date.now());
  const deadline = setTimeout(() => controller.abort(new SessionTimeoutError(queue.sessionTimeoutMs)), left);
  return () => {
    clearInterval(heartbeat);
    clearTimeout(deadline);
  };
}

/** Tries a final write again while the database is away: an outcome must not get lost to a short outage. */
export async function retried<T>(logger: Logger, write: () => Promise<T>): Promise<T> {
  for (const wait of [...TERMINAL_WRITE_RETRY_MS, null]) {
    try {
      return await write();
    } catch (error) {
      if (mustNotWrite(error) || wait === null) throw error;
      logger.warn({ err: error }, 'final state could not be written, trying again');
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  throw new Error('unreachable: the last attempt returns or throws');
}
