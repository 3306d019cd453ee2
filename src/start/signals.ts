import type { Logger } from 'pino';

/** Time to ignore a second signal (ms), because a terminal signals the whole process group and npm forwards signals. */
const ECHO_MS = 1000;

/**
 * Resolves with the exit code at the first request to stop: a signal, a callback from `watch`, or an unhandled error. A
 * later second signal (Ctrl-C pressed again) ends the process at once.
 */
export function untilStopRequested(logger: Logger, watch?: (onGone: () => void) => unknown): Promise<0 | 1> {
  return new Promise((resolve) => {
    let requestedAt: number | null = null;
    const stop = (reason: string, exitCode: 0 | 1 = 0) => {
      requestedAt ??= performance.now();
      logger.info({ reason }, 'stopping');
      resolve(exitCode);
    };
    process.on('uncaughtException', (error, origin) => {
      logger.fatal({ err: error, origin }, 'unhandled error');
      stop(origin, 1);
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (requestedAt === null) stop(signal);
        else if (performance.now() - requestedAt > ECHO_MS) process.exit(130);
      });
    }
    watch?.(() => stop('parent process is gone'));
  });
}
