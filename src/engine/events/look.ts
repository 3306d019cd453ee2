import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Looks again and again, each time so long after the last (ms), until the returned function is called. */
export function lookRegularly(everyMs: number, look: () => Promise<void>, logger: Logger): () => void {
  const stopped = new AbortController();
  const { signal } = stopped;
  async function keepLooking(): Promise<void> {
    for (;;) {
      await delay(everyMs, undefined, { signal, ref: false });
      await look().catch((error: unknown) => logger.debug({ err: error }, 'what changed could not be read'));
    }
  }
  keepLooking().catch(() => {}); // stopped
  return () => stopped.abort();
}
