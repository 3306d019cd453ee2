import { readdir } from 'node:fs/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { openOrm } from './orm.ts';

/** Key of the advisory lock that lets one process at a time migrate a database ("tarsy", as bytes). */
const MIGRATION_LOCK = 0x7461727379;

/**
 * Brings the database to the newest schema. Processes that start together wait for one another; a database
 * that is newer than this code is refused, because migrations only go forward.
 * `extra` runs under the same lock after our own migrations (the job queue's tables).
 */
export async function migrateDatabase(
  url: string,
  options: { logger: Logger; extra?: (url: string) => Promise<void> },
): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString: url, application_name: 'tarsy-migrate' });
  client.on('error', (error) => options.logger.warn({ err: error }, 'migration connection lost'));
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await applyMigrations(url, options.logger);
    await options.extra?.(url);
    return { applied };
  } finally {
    await client.end(); // releases the lock
  }
}

async function applyMigrations(url: string, logger: Logger): Promise<string[]> {
  const orm = await openOrm(url, { maxConnections: 1, logger: (message) => logger.debug(message) });
  try {
    await refuseNewerDatabase(orm);
    const applied = (await orm.migrator.up()).map((migration) => migration.name);
    if (applied.length > 0) logger.info({ applied }, 'database migrated');
    return applied;
  } finally {
    await orm.close(true);
  }
}

/** The database was migrated by a newer version of the program. */
export class NewerDatabaseError extends Error {
  readonly code = 'DATABASE_NEWER';
  constructor(names: readonly string[]) {
    super(
      `The database has migrations that this version does not know (${names.join(', ')}). Start the newer version, or restore a backup from before its upgrade.`,
    );
    this.name = 'NewerDatabaseError';
  }
}

async function refuseNewerDatabase(orm: Awaited<ReturnType<typeof openOrm>>): Promise<void> {
  const executed = await orm.migrator.getExecuted();
  if (executed.length === 0) return;
  const known = new Set(await migrationNames());
  const unknown = executed.map((row) => row.name).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
}

async function migrationNames(): Promise<string[]> {
  const files = await readdir(new URL('../../migrations', import.meta.url));
  return files.filter((file) => /^Migration.*\.ts$/.test(file)).map((file) => file.replace(/\.ts$/, ''));
}
