import { runMigrations } from 'graphile-worker';
import type { Logger } from 'pino';
import { queueLogger } from './queue-logger.ts';

/** Creates the queue's tables or migrates them to its newest version. */
export async function migrateQueue(url: string, logger: Logger): Promise<void> {
  await runMigrations({ connectionString: url, logger: queueLogger(logger) });
}
