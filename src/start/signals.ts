import type { Logger } from 'pino';

/**
 * A second signal this soon (ms) after the first is an echo of it: a terminal signals the whole process group, and npm
 * passes on what we got already.
 */
const ECHO_MS = 1000;

/**
 * Resolves with the first sign that the process shall stop: a signal, what `watch` calls back for, or an error that
 * nobody handled, for what runs is handed over then as well. Another signal, later, ends it at once: whoever presses
 * Ctrl-C again does not want to wait.
 * @returns the exit code
 */
export function untilToldToStop(logger: Logger, watch?: (onGone: () => void) => unknown): Promise<0 | 1> {
  return new Promise((resolve) => {
    let toldAt: number | null = null;
    const stop = (reason: string, exitCode: 0 | 1 = 0) => {
      toldAt ??= performance.now();
      logger.info({ reason }, 'stopping');
      resolve(exitCode);
    };
    process.on('uncaughtException', (error, origin) => {
      logger.fatal({ err: error, origin }, 'an error that nobody handled');
      stop(origin, 1);
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (toldAt === null) stop(signal);
        else if (performance.now() - toldAt > ECHO_MS) process.exit(130);
      });
    }
    watch?.(() => stop('whoever started us is gone'));
  });
}
