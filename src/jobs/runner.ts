import { type ParsedCronItem, run, type TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { NamedTask } from './kit.ts';
import { queueLogger } from './queue-logger.ts';

/** The queue looks for jobs this often (ms) besides being told of each: a safety net. */
const POLL_INTERVAL_MS = 2_000;

export interface JobRunner {
  /** Takes no more jobs and waits for those that run. */
  stop(): Promise<void>;
  /** Rejects when the queue is not being worked on any more, though nobody stopped it. */
  check(): Promise<void>;
}

/** Looks for lost workers and lost jobs: at the start, and then regularly. */
interface Recovery {
  recover(): Promise<void>;
  everyMs: number;
}

/** Runs jobs in this process until stopped. */
export async function startJobRunner(deps: {
  pool: pg.Pool;
  tasks: readonly NamedTask[];
  concurrency: number;
  recovery?: Recovery;
  /** What runs regularly. */
  crontab?: ParsedCronItem[];
  logger: Logger;
}): Promise<JobRunner> {
  const { pool, tasks, concurrency, logger } = deps;
  const recovery = deps.recovery && startRecovery(deps.recovery, logger);
  const taskList: TaskList = Object.fromEntries(tasks);
  const runner = await run({
    pgPool: pool,
    taskList,
    concurrency,
    pollInterval: POLL_INTERVAL_MS,
    noHandleSignals: true, // the composition root decides what stops when
    parsedCronItems: deps.crontab ?? [],
    logger: queueLogger(logger),
    preset: { worker: { gracefulShutdownAbortTimeout: 60_000 } },
  });
  let died: unknown = null;
  runner.promise.catch((error: unknown) => {
    died = error;
    logger.error({ err: error }, 'the job runner died');
  });
  return {
    async stop() {
      await recovery?.stop();
      await runner.stop();
    },
    async check() {
      if (died !== null) throw new Error('the job runner died', { cause: died });
    },
  };
}

function startRecovery({ recover, everyMs }: Recovery, logger: Logger): { stop(): Promise<void> } {
  let round: Promise<void> | null = null;
  const begin = () => {
    round ??= recover()
      .catch((error: unknown) => logger.warn({ err: error }, 'recovery failed, trying again'))
      .finally(() => {
        round = null;
      });
  };
  begin();
  const timer = setInterval(begin, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await round;
    },
  };
}
