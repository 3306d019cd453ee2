import type { Logger } from 'pino';
import { createTrouble } from './periodic.merge1.ts';

/**
 * Does something at once and then every so many milliseconds, one round at a time; a round that fails is no end.
 * @param options.task what it is, as a sentence begins
 */
export function regularly(
  round: () => Promise<void>,
  options: { task: string; everyMs: number; logger: Logger },
): { stop(): Promise<void> } {
  const trouble = createTrouble(options.task, options.logger);
  let current: Promise<void> | null = null;
  const begin = () => {
    current ??= round()
      .then(trouble.worked, trouble.failed)
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
