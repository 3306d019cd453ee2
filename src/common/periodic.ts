import type { Logger } from 'pino';

/**
 * Runs `round` now and every `everyMs`, never two rounds at a time. A failure is logged; the next round still runs.
 * @param options.idleMs pause after a round that returned false, because it found no work; default `everyMs`
 */
export function runPeriodically(
  round: () => Promise<unknown>,
  options: { task: string; everyMs: number; idleMs?: number; logger: Logger },
): { stop(): Promise<void> } {
  const failureLog = createFailureLog(options.task, options.logger);
  let current: Promise<void> | null = null;
  let restUntil = 0;
  const ended = (found: unknown) => {
    if (found === false && options.idleMs !== undefined) restUntil = performance.now() + options.idleMs;
    failureLog.succeeded();
  };
  const begin = () => {
    if (performance.now() < restUntil) return;
    current ??= round()
      .then(ended, failureLog.failed)
      .finally(() => {
        current = null;
      });
  };
  begin();
  const timer = setInterval(begin, options.everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await current;
    },
  };
}

/** Logs a warning for the first of consecutive failures only, and a message when the task works again. */
export interface FailureLog {
  failed(error: unknown): void;
  succeeded(): void;
}

/** @param task name of the repeated task in the log, such as "poll changed sessions" */
export function createFailureLog(task: string, logger: Logger): FailureLog {
  let failures = 0;
  return {
    failed(error) {
      failures += 1;
      if (failures === 1) logger.warn({ err: error, task }, 'task failed, retrying');
      else logger.debug({ err: error, task, failures }, 'task failed again');
    },
    succeeded() {
      if (failures > 0) logger.info({ task, failures }, 'task recovered');
      failures = 0;
    },
  };
}
