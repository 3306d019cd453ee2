import { Logger as QueueLogger } from 'graphile-worker';
import type { Logger } from 'pino';

/** Returns a graphile-worker logger that writes to `logger`. Info messages, one per job, become debug. */
export function queueLogger(logger: Logger): QueueLogger {
  return new QueueLogger(() => (level, message) => {
    if (level === 'error') logger.error(message);
    else if (level === 'warning') logger.warn(message);
    else logger.debug(message);
  });
}
