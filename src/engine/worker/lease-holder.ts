import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Queryable } from '../../db/queryable.ts';
import {
  BreakOffError,
  CancelledError,
  HandedOverError,
  LeaseLostError,
  statusOfFailure,
} from '../common/interruptions.ts';
import { patiently } from '../common/retry-while-database-down.ts';
import type { Bus } from '../live/bus.ts';
import { describeError } from '../model/errors.ts';
import { heldDatabase } from '../store/database.ts';
import type { Claim, ClaimedRun, LeaseLimits, Outcome } from '../store/lease.ts';
import { startLeaseRenewal } from './lease-renewal.ts';

/** Milliseconds that a run may take to come to its end once it was told to stop; then its session goes on without it. */
export const ABORT_LIMIT_MS = 15_000;

/** Milliseconds that a process which stops tries to hand its sessions over: less than it has in all. */
export const SHUTDOWN_LIMIT_MS = 20_000;

/**
 * Something that is done under a lease. `claim`, `end` and `giveBack` are tried again while the database is away, so
 * they must bear to be done twice.
 */
export interface LeasedJob {
  /** For people: "investigation". */
  name: string;
  /** Takes the work; null = there is nothing to take (any more). */
  claim(): Promise<Claim | null>;
  /** Does it. @returns how it ended */
  run(held: ClaimedRun): Promise<Outcome>;
  /** Writes the outcome down and gives the lease back. */
  end(outcome: Outcome, claim: Claim): Promise<void>;
  /** Gives work that broke off back to the queue, if it is still ours. */
  giveBack(claim: Claim, reason: BreakOffError): Promise<void>;
  /** Has another process take it, as this one stops. */
  decline(): Promise<void>;
}

/** Work of a process that is under leases. */
export interface LeaseHolder {
  /**
   * Takes work and does it until it has ended, was given back, or is not ours any more. Whatever happens to the database
   * in the meantime only takes time.
   * @throws errors that are no matter of time
   */
  under(work: LeasedJob): Promise<void>;
  /** Gives back all that is held and takes no more. Takes a limited time: what is left then, others take over. */
  stop(): Promise<void>;
  /** How much is being worked on. */
  readonly active: number;
}

export function createLeaseHolder(deps: {
  /** Of the runs' own reads and writes. */
  db: Queryable;
  bus: Pick<Bus, 'on' | 'off'>;
  limits: LeaseLimits;
  /** Milliseconds; for tests. */
  settleLimitMs?: number;
  logger: Logger;
}): LeaseHolder {
  const { settleLimitMs = ABORT_LIMIT_MS } = deps;
  const active = new Map<(reason: Error) => void, Promise<void>>();
  const leaving = new AbortController();
  let isStopping = false;

  async function hold(work: LeasedJob, stop: AbortController): Promise<void> {
    const cancelled = new Set<string>(); // one may be told of before its claim has returned
    let own: string | null = null;
    const hear = (id: string) => {
      cancelled.add(id);
      if (own !== null && cancelled.has(own)) stop.abort(new CancelledError());
    };
    deps.bus.on('cancel', hear);
    try {
      const claim = await patiently({ signal: leaving.signal, logger: deps.logger }, work.claim);
      if (!claim) return;
      own = claim.cancelledAs ?? claim.fence.sessionId;
      if (cancelled.has(own)) stop.abort(new CancelledError());
      await keep(work, claim, stop);
    } finally {
      deps.bus.off('cancel', hear);
    }
  }

  async function keep(work: LeasedJob, claim: Claim, stop: AbortController): Promise<void> {
    const { fence, logger } = claim;
    const patience = { signal: leaving.signal, logger };
    const lease = { sessionId: fence.sessionId, elapsedMs: claim.elapsedMs, renew: claim.renew };
    const letGo = startLeaseRenewal(lease, deps.limits, (reason) => stop.abort(reason), logger);
    try {
      const outcome = await outcomeOf(work, claim, stop);
      await patiently(patience, () => work.end(outcome, claim));
      logger.info({ status: outcome.status }, `${work.name} ended`);
    } catch (error) {
      if (!(error instanceof BreakOffError)) throw error;
      logger.info({ reason: error.code }, 'breaks off, whoever takes it next goes on from what is stored');
      await patiently(patience, () => work.giveBack(claim, error));
    } finally {
      letGo();
    }
  }

  async function outcomeOf(
    work: LeasedJob,
    { fence, logger }: Claim,
    stop: AbortController,
  ): Promise<Outcome> {
    const { signal } = stop;
    const closed = new AbortController();
    const closeUnlessOurs = () => {
      // Told to stop or to end, a run may write how; one that lost its session may not.
      if (signal.reason instanceof BreakOffError && !(signal.reason instanceof HandedOverError))
        closed.abort(signal.reason);
    };
    if (signal.aborted) closeUnlessOurs();
    signal.addEventListener('abort', closeUnlessOurs);
    const db = heldDatabase(deps.db, closed.signal, (reason) => stop.abort(reason));
    try {
      return await inTime(work.run({ fence, signal, db, logger }), signal, settleLimitMs);
    } catch (error) {
      const reason: unknown = error instanceof BreakOffError || !signal.aborted ? error : signal.reason;
      if (reason instanceof BreakOffError) throw reason;
      return failureOf(work, reason, logger);
    } finally {
      closed.abort(new LeaseLostError(fence.sessionId)); // whatever of it still runs writes nothing more
    }
  }

  return {
    async under(work) {
      if (isStopping) return work.decline();
      const stop = new AbortController();
      const abort = (reason: Error) => stop.abort(reason);
      const done = hold(work, stop).finally(() => active.delete(abort));
      active.set(abort, done);
      await done;
    },
    async stop() {
      isStopping = true;
      for (const abort of active.keys()) abort(new HandedOverError());
      const over = new AbortController();
      const late = delay(SHUTDOWN_LIMIT_MS, undefined, { signal: over.signal }).catch(() => {});
      await Promise.race([Promise.allSettled(active.values()), late]);
      over.abort();
      leaving.abort(); // what waits for the database still gives up
    },
    get active() {
      return active.size;
    },
  };
}

/** How work ended that was cancelled, ran out of time, or failed in a way nobody foresaw. */
function failureOf({ name }: LeasedJob, error: unknown, logger: Logger): Outcome {
  const status = statusOfFailure(error);
  if (status !== 'FAILED') return { status, errorMessage: describeError(error) };
  logger.error({ err: error }, `${name} failed unexpectedly`);
  return { status, errorMessage: `The ${name} failed unexpectedly: ${describeError(error)}` };
}

/** Waits for work, but not for ever once it was told to stop. @throws the signal's reason then */
async function inTime<T>(work: Promise<T>, signal: AbortSignal, limitMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  let limit: NodeJS.Timeout | undefined;
  const told = () => {
    limit = setTimeout(() => late.reject(signal.reason as Error), limitMs);
  };
  if (signal.aborted) told();
  else signal.addEventListener('abort', told, { once: true });
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', told);
    work.catch(() => {}); // told, or nobody waits for it any more
  }
}
