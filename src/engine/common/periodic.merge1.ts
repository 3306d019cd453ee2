import type { Logger } from 'pino';

/** What is tried again and again: that it fails is said once, and once that it works again, not each time. */
export interface Trouble {
  failed(error: unknown): void;
  worked(): void;
}

/** @param what of it, as a sentence begins: "Looking for lost work" */
export function createTrouble(what: string, logger: Logger): Trouble {
  let failures = 0;
  return {
    failed(error) {
      failures += 1;
      if (failures === 1) logger.warn({ err: error }, `${what} failed, trying again`);
      else logger.debug({ err: error, failures }, `${what} failed again`);
    },
    worked() {
      if (failures > 0) logger.info({ failures }, `${what} works again`);
      failures = 0;
    },
  };
}
