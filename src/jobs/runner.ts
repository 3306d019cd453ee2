import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type ParsedCronItem, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { type NamedTask, wokenTask } from './kit.ts';
import { queueLogger } from './queue-logger.ts';

/** The queue looks for jobs this often (ms) besides being told of each: a safety net. */
const POLL_INTERVAL_MS = 2_000;

/** Milliseconds without a look for jobs, while not all hands are full, after which nothing is being taken any more. */
const TAKING_LIMIT_MS = 60_000;
/** … and times as long after which the runner is replaced: it may hang where it never says so. */
const REPLACE_AFTER = 2;
/** Looks for that within the limit. A process that stood still for long has missed but one. */
const WATCHES = 4;

/** Milliseconds until a runner that ended by itself is started again: first, and at most. */
const RESTART_MIN_MS = 500;
const RESTART_MAX_MS = 30_000;

export interface JobRunner {
  /** Takes no more jobs and waits for those that run. */
  stop(): Promise<void>;
  /** Rejects when no work is being taken any more, though nobody stopped it. */
  check(): Promise<void>;
}

export interface JobRunnerDeps {
  /** The queue's own pool. */
  pool: pg.Pool;
  tasks: readonly NamedTask[];
  concurrency: number;
  /** It is woken for its own tasks alone, by what adds their jobs; default: for whatever is added. */
  isWoken?: boolean;
  /** What runs regularly. */
  crontab?: ParsedCronItem[];
  logger: Logger;
  /** Milliseconds; for tests. */
  takingLimitMs?: number;
}

/** Runs jobs in this process until stopped. A runner that ends by itself, or takes no work any more, is replaced, saying so. */
export async function startJobRunner(deps: JobRunnerDeps): Promise<JobRunner> {
  const { logger, concurrency, takingLimitMs = TAKING_LIMIT_MS } = deps;
  const stopping = new AbortController();
  const taking = watchTaking(concurrency);
  hearOnly(taking.events, deps);
  let runner: Runner | null = await startRunner(deps, taking.events);
  let pauseMs = RESTART_MIN_MS;

  async function keepRunning(): Promise<void> {
    while (runner) {
      const current: Runner = runner;
      const over = new AbortController();
      const ended: Promise<unknown> = current.promise.then(
        () => 'it ended by itself',
        (error: unknown) => error,
      );
      const signal = AbortSignal.any([stopping.signal, over.signal]);
      const stalled = taking.stalled(takingLimitMs * REPLACE_AFTER, signal).catch(() => ended);
      const reason = await Promise.race([ended, stalled]);
      over.abort();
      runner = null;
      if (stopping.signal.aborted) return;
      logger.error({ err: reason }, 'the job runner died, starting it again');
      void current.stop().catch(() => {}); // it has ended, or hangs: nobody waits for it
      runner = await startAgain();
    }
  }

  async function startAgain(): Promise<Runner | null> {
    for (;;) {
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return null;
      pauseMs = Math.min(pauseMs * 2, RESTART_MAX_MS);
      try {
        return await startRunner(deps, taking.events);
      } catch (error) {
        logger.error({ err: error }, 'the job runner could not be started again');
      }
    }
  }

  const kept = keepRunning();
  return {
    async stop() {
      stopping.abort();
      await runner?.stop();
      await kept;
    },
    async check() {
      if (runner === null) throw new Error('the job runner died and is being started again');
      if (!taking.within(takingLimitMs))
        throw new Error(`no work was looked for in the last ${takingLimitMs / 1000} s`);
    },
  };
}

function startRunner(deps: JobRunnerDeps, events: WorkerEvents): Promise<Runner> {
  const { pool, tasks, concurrency, logger } = deps;
  const taskList: TaskList = Object.fromEntries(tasks);
  return run({
    pgPool: pool,
    taskList,
    concurrency,
    events,
    pollInterval: POLL_INTERVAL_MS,
    noHandleSignals: true, // the composition root decides what stops when
    parsedCronItems: deps.crontab ?? [],
    logger: queueLogger(logger),
    // No completeJobBatchDelay: a batch that fails once is not tried again, but ends the runner, which may never come to its end.
    preset: { worker: { gracefulShutdownAbortTimeout: 60_000 } },
  });
}

/** What is not for this runner nudges none of its workers. */
function hearOnly(events: WorkerEvents, { tasks, isWoken = false }: JobRunnerDeps): void {
  events.on('pool:listen:notification', ({ message }) => {
    const task = wokenTask(message.payload);
    const isOurs = task === null ? !isWoken : tasks.some(([name]) => name === task);
    if (!isOurs) message.payload = '{"count":0}';
  });
}

/**
 * Watches whether jobs are being looked for. One that could not be had because the database is away was looked for all
 * the same: that is the database's fault, which has a check of its own.
 */
function watchTaking(concurrency: number) {
  const events: WorkerEvents = new EventEmitter();
  let lookedAt = performance.now();
  let looks = 0;
  let busy = 0;
  const look = () => {
    lookedAt = performance.now();
    looks += 1;
  };
  events.on('worker:getJob:empty', look);
  events.on('worker:getJob:error', look);
  events.on('job:start', () => {
    busy += 1;
    look();
  });
  events.on('job:complete', () => {
    busy -= 1;
    look();
  });
  return {
    events,
    within: (limitMs: number) => busy >= concurrency || performance.now() - lookedAt <= limitMs,
    /** Resolves, with words for it, when nothing has been looked for that long. @throws AbortError */
    async stalled(limitMs: number, signal: AbortSignal): Promise<string> {
      let seen = looks;
      for (let quiet = 0; quiet < WATCHES; ) {
        await delay(limitMs / WATCHES, undefined, { signal });
        quiet = looks === seen && busy < concurrency ? quiet + 1 : 0;
        seen = looks;
      }
      return `it looked for no work for ${limitMs / 1000} s`;
    },
  };
}
