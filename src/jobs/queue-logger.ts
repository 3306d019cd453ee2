import { Logger as QueueLogger } from 'graphile-worker';
import type { Logger } from 'pino';

/** The queue's messages in our log; it tells of every job at info, which is debug to us. */
export function queueLogger(logger: Logger): QueueLogger {
  return new QueueLogger(() => (level, message) => {
    if (level === 'error') logger.error(message);
    else if (level === 'warning') logger.warn(message);
    else logger.debug(message);
  });
}
