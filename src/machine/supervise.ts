import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

/** A process that runs and is ready. */
export interface Running<T> {
  /** What others need to reach it; handed to the next launch, so that it comes back at the same address. */
  readonly value: T;
  /** Resolves, never rejects, with how it ended. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

export interface SuperviseOptions<T> {
  readonly name: string;
  readonly logger: Logger;
  /** Starts the process and resolves when it is ready. Must give up, leaving nothing behind, when the signal fires. */
  launch(previous: T | undefined, signal: AbortSignal): Promise<Running<T>>;
}

export interface Supervised<T> {
  readonly value: T;
  /** Stops the process, or the attempt to start it again; idempotent. */
  stop(): Promise<void>;
}

/** First pause short, because one crash is usually alone; the cap keeps a broken program from burning the machine. */
const BACKOFF_MIN_MS = 200;
const BACKOFF_MAX_MS = 10_000;
/** A process that ran this long was healthy: its next crash starts from the short pause again. */
const HEALTHY_MS = 60_000;

/**
 * Starts a process and starts it again whenever it ends without being asked to.
 * @throws what the first launch throws; later failures are logged and tried again.
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
        if (!signal.aborted) logger.error({ err: error }, `${name} could not be started again`);
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
      logger.error({ reason }, `${name} ended unexpectedly; starting it again`);
      current = undefined;
      current = await relaunch();
      if (current) logger.info(`${name} is up again`);
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
