import type { Logger } from 'pino';

/** Does something at once and then every so many milliseconds, one round at a time; a round that fails is no end. */
export function regularly(
  round: () => Promise<void>,
  options: { everyMs: number; logger: Logger },
): { stop(): Promise<void> } {
  let current: Promise<void> | null = null;
  const begin = () => {
    current ??= round()
      .catch((error: unknown) => options.logger.warn({ err: error }, 'a regular task failed, trying again'))
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
