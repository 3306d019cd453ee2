import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type ParsedCronItem, type Runner, run, type WorkerEvents, type WorkerPool } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { watchDueJobs } from './due-jobs.ts';
import { type NamedTask, wokenTask } from './kit.ts';
import { queueLogger } from './queue-pool.ts';

/** Time without a poll after which a runner with free capacity counts as stalled (ms). */
const STALL_LIMIT_MS = 60_000;
const REPLACE_AFTER = 2;
/**
 * Number of consecutive checks without a poll after which the runner counts as stalled. More than one, because the
 * first check after the operating system paused the process may find no poll.
 */
const STALL_CHECKS = 4;

/** Pause before a failed runner is restarted (ms); doubles with each restart up to the maximum. */
const RESTART_MIN_MS = 500;
const RESTART_MAX_MS = 30_000;

export interface JobRunner {
  /** Stops fetching jobs and waits for the running jobs. */
  stop(): Promise<void>;
  /** Rejects if the runner is stalled or restarting. */
  check(): Promise<void>;
}

export interface JobRunnerDeps {
  pool: pg.Pool;
  tasks: readonly NamedTask[];
  concurrency: number;
  /** True: react only to notifications that name tasks of this runner (`wake`). Default: only to those without task. */
  isWoken?: boolean;
  crontab?: ParsedCronItem[];
  logger: Logger;
  /** Replaces STALL_LIMIT_MS in tests. */
  stallLimitMs?: number;
}

/** Runs jobs in this process until stopped. Replaces a runner that ends unexpectedly or stalls, and logs it. */
export async function startJobRunner(deps: JobRunnerDeps): Promise<JobRunner> {
  const { logger, concurrency, stallLimitMs = STALL_LIMIT_MS } = deps;
  const stopping = new AbortController();
  const polling = watchPolling(concurrency);
  filterNotifications(polling.events, deps);
  const nudge = nudgeWorkers(polling.events);
  let runner: Runner | null = await startRunner(deps, polling.events);
  const tasks = deps.tasks.map(([name]) => name);
  const unwatch = watchDueJobs(deps.pool, { tasks, onDue: nudge }, logger);
  let pauseMs = RESTART_MIN_MS;

  async function keepRunning(): Promise<void> {
    while (runner) {
      const current: Runner = runner;
      const over = new AbortController();
      const ended: Promise<unknown> = current.promise.then(
        () => 'runner ended unexpectedly',
        (error: unknown) => error,
      );
      const signal = AbortSignal.any([stopping.signal, over.signal]);
      const stalled = polling.stalled(stallLimitMs * REPLACE_AFTER, signal).catch(() => ended);
      const reason = await Promise.race([ended, stalled]);
      over.abort();
      runner = null;
      if (stopping.signal.aborted) return;
      logger.error({ err: reason }, 'job runner died, restarting it');
      void current.stop().catch(() => {}); // not awaited, because the runner has ended or hangs
      runner = await restart();
    }
  }

  async function restart(): Promise<Runner | null> {
    for (;;) {
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return null;
      pauseMs = Math.min(pauseMs * 2, RESTART_MAX_MS);
      try {
        return await startRunner(deps, polling.events);
      } catch (error) {
        logger.error({ err: error }, 'job runner not restarted');
      }
    }
  }

  const kept = keepRunning();
  return {
    async stop() {
      stopping.abort();
      unwatch();
      await runner?.stop();
      await kept;
    },
    async check() {
      if (runner === null) throw new Error('the job runner died and is restarting');
      if (!polling.within(stallLimitMs))
        throw new Error(`the job runner has not polled for ${stallLimitMs / 1000} s`);
    },
  };
}

function startRunner(deps: JobRunnerDeps, events: WorkerEvents): Promise<Runner> {
  const { pool, tasks, concurrency, logger, stallLimitMs = STALL_LIMIT_MS } = deps;
  return run({
    pgPool: pool,
    taskList: Object.fromEntries(tasks),
    concurrency,
    events,
    pollInterval: stallLimitMs / 2, // shows that each worker lives; watchDueJobs finds the jobs
    noHandleSignals: true, // src/start handles signals and stops all parts in order
    parsedCronItems: deps.crontab ?? [],
    logger: queueLogger(logger),
    // No completeJobBatchDelay, because a failed batch is not retried but ends the runner, which may then hang.
    preset: { worker: { gracefulShutdownAbortTimeout: 60_000 } },
  });
}

/** Makes the runner ignore notifications for tasks of other runners. */
function filterNotifications(events: WorkerEvents, { tasks, isWoken = false }: JobRunnerDeps): void {
  events.on('pool:listen:notification', ({ message }) => {
    const task = wokenTask(message.payload);
    const isOurs = task === null ? !isWoken : tasks.some(([name]) => name === task);
    if (!isOurs) message.payload = '{"count":0}';
  });
}

/** Returns the function that makes idle workers of the current runner look for jobs. */
function nudgeWorkers(events: WorkerEvents): (jobs: number) => void {
  let current: WorkerPool | null = null;
  events.on('pool:create', ({ workerPool }) => {
    current = workerPool;
  });
  events.on('pool:gracefulShutdown', ({ workerPool }) => {
    if (current === workerPool) current = null; // a nudge would throw
  });
  return (jobs) => current?.nudge(jobs);
}

/** Observes if the runner polls for jobs. Failed polls count too, because the database has its own health check. */
function watchPolling(concurrency: number) {
  const events: WorkerEvents = new EventEmitter();
  let polledAt = performance.now();
  let polls = 0;
  let busy = 0;
  const poll = () => {
    polledAt = performance.now();
    polls += 1;
  };
  events.on('worker:getJob:empty', poll);
  events.on('worker:getJob:error', poll);
  events.on('job:start', () => {
    busy += 1;
    poll();
  });
  events.on('job:complete', () => {
    busy -= 1;
    poll();
  });
  return {
    events,
    within: (limitMs: number) => busy >= concurrency || performance.now() - polledAt <= limitMs,
    /** Resolves with a reason once the runner has not polled for `limitMs`. @throws AbortError if `signal` aborts */
    async stalled(limitMs: number, signal: AbortSignal): Promise<string> {
      let seen = polls;
      for (let quiet = 0; quiet < STALL_CHECKS; ) {
        await delay(limitMs / STALL_CHECKS, undefined, { signal });
        quiet = polls === seen && busy < concurrency ? quiet + 1 : 0;
        seen = polls;
      }
      return `runner did not poll for ${limitMs / 1000} s`;
    },
  };
}
