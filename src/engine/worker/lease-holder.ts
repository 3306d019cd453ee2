import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { StageRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import {
  CancelledError,
  HandedOverError,
  LeaseLostError,
  RunInterruptedError,
  SessionTimeoutError,
  statusOfFailure,
} from '../common/interruptions.ts';
import type { Bus } from '../live/bus.ts';
import { describeError } from '../model/errors.ts';
import { conclusionRequested, createTimeBudget } from '../run-context/time-budget.ts';
import type { ClaimedRun, RunDeps, RunOutcome } from '../run-context/types.ts';
import { leasedDatabase, retryWhileDatabaseDown } from '../store/database.ts';
import type { Fence } from '../store/event-statement.ts';
import { CANCELLED, type EndSessionDeps, type JobQueues } from './finish-session.ts';
import { type Lease, type LeaseLimits, startLeaseRenewal } from './lease-renewal.ts';

/** Time (ms) that an aborted run has to end. After that, the outcome is stored without waiting for the run. */
const ABORT_LIMIT_MS = 15_000;

/** Time (ms) that a process has to release its runs when it shuts down. Less than the grace period of the process. */
const SHUTDOWN_LIMIT_MS = 20_000;

export interface JobDeps extends RunDeps, EndSessionDeps, JobQueues {
  /** Database handle for lease renewals only, so that slow queries of the runs cannot delay renewals. */
  heartbeats: Queryable;
  workerId: string;
}

/** A job with a lease. `claim`, `end` and `release` must be idempotent, because database outages cause retries. */
export interface LeasedJob<C extends JobClaim = JobClaim> {
  /** Name in logs and error messages, such as "investigation". */
  name: string;
  /** Claims the job; `null` if the job is not in the queue. */
  claim(): Promise<C | null>;
  run(claimed: ClaimedRun, claim: C): Promise<RunOutcome>;
  /** Stores the outcome and releases the lease. */
  end(outcome: RunOutcome, claim: C): Promise<void>;
  /** Requeues or parks an interrupted run, if this process still owns it. */
  release(claim: C, reason: RunInterruptedError): Promise<void>;
  /** Requeues a job that arrived while this process is shutting down, before it was claimed. */
  requeue(): Promise<void>;
}

/** A claimed job: its fence, its used time, and how to renew its lease. */
export interface JobClaim extends Omit<Lease, 'sessionId'> {
  fence: Fence;
  /** The id in the notice of a cancellation. @default the session's id */
  cancelledAs?: string;
  /** True if the job was already asked to conclude. @default false */
  isConcluding?: boolean;
  logger: Logger;
}

/** Returns the outcome of a job that was cancelled or lost too many workers; `null` if the job must run. */
export function outcomeWithoutRun(
  { cancelRequestedAt, workersLost }: Pick<StageRow, 'cancelRequestedAt' | 'workersLost'>,
  name: string,
  { maxAttempts }: { maxAttempts: number },
): RunOutcome | null {
  if (cancelRequestedAt) return CANCELLED;
  if (workersLost < maxAttempts) return null;
  return failed(
    `The worker of this ${name} was lost ${maxAttempts} times. TARSy does not retry the ${name}.`,
  );
}

export function failed(errorMessage: string): RunOutcome {
  return { status: 'FAILED', errorMessage };
}

/** Controllers of a run: `stop` ends it, `asked` makes it conclude. */
interface RunControls {
  stop: AbortController;
  asked: AbortController;
}

/**
 * Creates the runner of leased jobs.
 * @param deps.abortLimitMs replaces ABORT_LIMIT_MS in tests
 * @param deps.shutdownLimitMs replaces SHUTDOWN_LIMIT_MS in tests
 */
export function createLeaseHolder(deps: {
  db: Queryable;
  bus: Pick<Bus, 'on' | 'off'>;
  limits: LeaseLimits;
  /** Part of the time limit that is kept for conclusions (ms). */
  reserveMs: number;
  abortLimitMs?: number;
  shutdownLimitMs?: number;
  logger: Logger;
}) {
  const { abortLimitMs = ABORT_LIMIT_MS, shutdownLimitMs = SHUTDOWN_LIMIT_MS } = deps;
  const active = new Map<(reason: Error) => void, Promise<void>>();
  const retrying = new AbortController();
  const claiming = new Set<Promise<unknown>>();
  let isStopping = false;

  async function claimAndRun<C extends JobClaim>(job: LeasedJob<C>, stop: AbortController): Promise<void> {
    const cancelled = new Set<string>(); // a notice may arrive before the claim returns
    const concluding = new Set<string>();
    const asked = new AbortController();
    let own: string | null = null;
    const onCancel = (id: string) => {
      cancelled.add(id);
      if (own !== null && cancelled.has(own)) stop.abort(new CancelledError());
    };
    const onConclude = (id: string) => {
      concluding.add(id);
      if (own !== null && concluding.has(own)) asked.abort(conclusionRequested());
    };
    deps.bus.on('cancel', onCancel);
    deps.bus.on('conclude', onConclude);
    try {
      const retry = { signal: retrying.signal, logger: deps.logger };
      const claimed = retryWhileDatabaseDown(retry, () => job.claim());
      claiming.add(claimed);
      const claim = await claimed.finally(() => claiming.delete(claimed));
      if (!claim) return;
      own = claim.cancelledAs ?? claim.fence.sessionId;
      if (cancelled.has(own)) stop.abort(new CancelledError());
      if (claim.isConcluding || concluding.has(own)) asked.abort(conclusionRequested());
      await runClaimed(job, claim, { stop, asked });
    } finally {
      deps.bus.off('cancel', onCancel);
      deps.bus.off('conclude', onConclude);
    }
  }

  async function runClaimed<C extends JobClaim>(
    job: LeasedJob<C>,
    claim: C,
    controls: RunControls,
  ): Promise<void> {
    const { fence, logger } = claim;
    const retry = { signal: retrying.signal, logger };
    const lease = { sessionId: fence.sessionId, elapsedMs: claim.elapsedMs, renew: claim.renew };
    const conclude = () => controls.asked.abort(conclusionRequested());
    const abort = (reason: Error) => controls.stop.abort(reason);
    const stopRenewal = startLeaseRenewal(lease, deps.limits, { abort, conclude }, logger);
    try {
      const outcome = await outcomeOf(job, claim, controls);
      await retryWhileDatabaseDown(retry, () => job.end(outcome, claim));
      logger.info({ status: outcome.status }, `${job.name} ended`);
    } catch (error) {
      if (!(error instanceof RunInterruptedError)) throw error;
      logger.info({ reason: error.code }, `${job.name} interrupted`);
      await retryWhileDatabaseDown(retry, () => job.release(claim, error));
    } finally {
      stopRenewal();
    }
  }

  function timeOf({ elapsedMs }: JobClaim, asked: AbortSignal): ClaimedRun['time'] {
    const limitMs = deps.limits.sessionTimeoutMs;
    const startedAt = performance.now() - elapsedMs;
    const exceeded = () => new SessionTimeoutError(limitMs);
    return createTimeBudget({ startedAt, endsAt: startedAt + limitMs, exceeded }, deps.reserveMs, asked);
  }

  async function outcomeOf<C extends JobClaim>(
    job: LeasedJob<C>,
    claim: C,
    { stop, asked }: RunControls,
  ): Promise<RunOutcome> {
    const { fence, logger } = claim;
    const { signal } = stop;
    const time = timeOf(claim, asked.signal);
    const closed = new AbortController();
    const closeIfFenced = () => {
      // Stops the writes of an interrupted run, unless it is handed over. Cancelled or timed-out runs may write.
      if (signal.reason instanceof RunInterruptedError && !(signal.reason instanceof HandedOverError))
        closed.abort(signal.reason);
    };
    signal.addEventListener('abort', closeIfFenced);
    const db = leasedDatabase(deps.db, closed.signal, (reason) => stop.abort(reason));
    try {
      // Waits for the claims that have started, so that jobs that become due together also begin together.
      const work = Promise.allSettled(claiming).then(() =>
        job.run({ fence, signal, time, db, logger }, claim),
      );
      return await withAbortLimit(work, signal, abortLimitMs);
    } catch (error) {
      const reason: unknown = error instanceof RunInterruptedError || !signal.aborted ? error : signal.reason;
      if (reason instanceof RunInterruptedError) throw reason;
      const status = statusOfFailure(reason);
      if (status !== 'FAILED') return { status, errorMessage: describeError(reason) };
      logger.error({ err: reason }, `${job.name} failed unexpectedly`);
      return { status, errorMessage: `The ${job.name} failed unexpectedly: ${describeError(reason)}` };
    } finally {
      closed.abort(new LeaseLostError(fence.sessionId)); // steps that still run must write nothing more
    }
  }

  return {
    /**
     * Claims a job and runs it until it has ended, is released, or its lease is lost:
     * 1. requeues the job if this process is shutting down
     * 2. starts to listen for notices about the job, then claims it
     * 3. renews its lease, and aborts the run when the lease is lost, the job is cancelled or its time is up; a request to
     * conclude begins the reserve of its time
     * 4. runs it on a database handle that refuses writes once the lease is lost
     * 5. stores its outcome, or releases it if it was interrupted
     * Claiming, ending and releasing are retried for as long as the database is down.
     * @throws errors that a retry cannot resolve
     */
    async run<C extends JobClaim>(job: LeasedJob<C>): Promise<void> {
      if (isStopping) return job.requeue();
      const stop = new AbortController();
      const abort = (reason: Error) => stop.abort(reason);
      const done = claimAndRun(job, stop).finally(() => active.delete(abort));
      active.set(abort, done);
      await done;
    },
    /** Releases all runs and refuses new jobs. Resolves within SHUTDOWN_LIMIT_MS; other workers recover the rest. */
    async stop(): Promise<void> {
      isStopping = true;
      for (const abort of active.keys()) abort(new HandedOverError());
      const over = new AbortController();
      const timeout = delay(shutdownLimitMs, undefined, { signal: over.signal }).catch(() => {});
      await Promise.race([Promise.allSettled(active.values()), timeout]);
      over.abort();
      retrying.abort(); // ends the retries of jobs that wait for the database
    },
    get active(): number {
      return active.size;
    },
  };
}

/** Waits for `work`; after an abort at most `limitMs` longer. @throws the signal's reason when that time is over */
async function withAbortLimit<T>(work: Promise<T>, signal: AbortSignal, limitMs: number): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => timeout.reject(signal.reason as Error), limitMs);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, timeout.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
