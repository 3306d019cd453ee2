import { pino } from 'pino';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { migrateQueue } from '../../src/jobs/queue-pool.ts';
import type { TestDatabase } from './postgres.ts';
import { type Standby, startStandby } from './standby.ts';
import { startTemporaryPostgres } from './temporary-postgres.ts';

/** A migrated database on a server of its own, with a hot standby. */
export interface ReplicatedDatabase extends TestDatabase {
  standby: Standby;
  /** URL of the database on the standby. */
  readUrl: string;
}

export async function startReplicatedDatabase(): Promise<ReplicatedDatabase> {
  const logger = pino({ level: 'silent' });
  const primary = await startTemporaryPostgres({ keepsCommits: true });
  await migrateDatabase(primary.url, { logger, extra: (target) => migrateQueue(target, logger) });
  const standby = await startStandby(primary);
  return {
    url: primary.url,
    standby,
    readUrl: standby.urlOf(primary.url),
    async drop() {
      await standby.stop();
      await primary.stop();
    },
  };
}
