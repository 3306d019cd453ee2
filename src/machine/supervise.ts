import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface Running<T> {
  /** The process's address or port for clients. The next launch receives it, so that a restart can use it again. */
  readonly value: T;
  /** Resolves with a description of how the process ended. Never rejects. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

export interface SuperviseOptions<T> {
  readonly name: string;
  readonly logger: Logger;
  /** Resolves when the process is ready. When the signal aborts, it must stop the process and clean up. */
  launch(previous: T | undefined, signal: AbortSignal): Promise<Running<T>>;
}

export interface Supervised<T> {
  readonly value: T;
  stop(): Promise<void>;
}

/** Pauses before a restart (ms), because a broken program must not restart in a tight loop. */
const BACKOFF_MIN_MS = 200;
const BACKOFF_MAX_MS = 10_000;
/** Run time (ms) after which the next pause is `BACKOFF_MIN_MS` again. */
const HEALTHY_MS = 60_000;

/**
 * Starts a process and restarts it whenever it ends unexpectedly.
 * @throws what the first launch throws; later failures are logged and retried
 */
export async function supervise<T>(options: SuperviseOptions<T>): Promise<Supervised<T>> {
  const { name, logger, launch } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const first = await launch(undefined, signal);
  const { value } = first;
  let current: Running<T> | undefined = first;
  let pause = BACKOFF_MIN_MS;

  const relaunch = async (): Promise<Running<T> | undefined> => {
    while (!signal.aborted) {
      try {
        await delay(pause, undefined, { signal });
        pause = Math.min(pause * 2, BACKOFF_MAX_MS);
        const next = await launch(value, signal);
        if (!signal.aborted) return next;
        await next.stop();
      } catch (error) {
        if (!signal.aborted)
          logger.error({ err: error, program: name }, 'program could not be started again');
      }
    }
    return undefined;
  };

  const watch = async (): Promise<void> => {
    while (current) {
      const startedAt = performance.now();
      const reason = await current.exited;
      if (signal.aborted) return;
      if (performance.now() - startedAt > HEALTHY_MS) pause = BACKOFF_MIN_MS;
      logger.error({ reason, program: name }, 'program ended unexpectedly, restarting');
      current = undefined;
      current = await relaunch();
      if (current) logger.info({ program: name }, 'program restarted');
    }
  };
  const watching = watch();

  return {
    value,
    async stop() {
      stopping.abort();
      await current?.stop();
      await watching;
    },
  };
}
