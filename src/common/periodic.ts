import type { Logger } from 'pino';

/**
 * Does something at once and then every so many milliseconds, one round at a time; a round that fails is no end.
 * @param options.task what it is, as a sentence begins
 */
export function runPeriodically(
  round: () => Promise<void>,
  options: { task: string; everyMs: number; logger: Logger },
): { stop(): Promise<void> } {
  const failureLog = createFailureLog(options.task, options.logger);
  let current: Promise<void> | null = null;
  const begin = () => {
    current ??= round()
      .then(failureLog.succeeded, failureLog.failed)
      .finally(() => {
        current = null;
      });
  };
  begin();
  const timer = setInterval(begin, options.everyMs);
  return {
    /** Begins no further round and waits for the one under way. */
    async stop() {
      clearInterval(timer);
      await current;
    },
  };
}

/** Logs a repeated task's first failure and its recovery, not every attempt. */
export interface FailureLog {
  failed(error: unknown): void;
  succeeded(): void;
}

/** @param what of it, as a sentence begins: "Looking for lost work" */
export function createFailureLog(what: string, logger: Logger): FailureLog {
  let failures = 0;
  return {
    failed(error) {
      failures += 1;
      if (failures === 1) logger.warn({ err: error }, `${what} failed, trying again`);
      else logger.debug({ err: error, failures }, `${what} failed again`);
    },
    succeeded() {
      if (failures > 0) logger.info({ failures }, `${what} works again`);
      failures = 0;
    },
  };
}
