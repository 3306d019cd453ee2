import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { connectOnce, databaseProblem } from './connect.ts';
import { MIGRATIONS_TABLE, MONTHS_BEGAN, migrationNames } from './migrations.ts';
import { isLocked } from './partitions/exclusively.ts';
import { maintainPartitions } from './partitions/maintain.ts';

/** Key of the advisory lock that serializes migrations ("tarsy" as bytes). */
const MIGRATION_LOCK = 0x7461727379;

/** How long (ms) a migration waits for locks of other connections, and pauses before it retries. */
export interface MigrationPatience {
  /** Longest wait of a statement for a lock. Short, because later reads and writes queue behind the statement. */
  lockTimeoutMs: number;
  /** Pauses before the retries, in which other connections proceed; the last value repeats. */
  retryMs: readonly number[];
}

const PATIENCE: MigrationPatience = { lockTimeoutMs: 2_000, retryMs: [1_000, 2_000, 5_000, 10_000] };

type Extra = (url: string) => Promise<void>;

/**
 * Migrates the database to the newest schema. A lock lets one process migrate at a time; `extra` then runs under the
 * same lock, to create the job queue's tables. Refuses a database with unknown migrations unless these are additive. Then
 * partitions the tables that have no rows yet, and creates the partitions of the coming months.
 * @throws NewerDatabaseError, DatabaseUnusableError
 */
export async function migrateDatabase(
  url: string,
  options: { logger: Logger; extra?: Extra; patience?: MigrationPatience },
): Promise<{ applied: string[] }> {
  const { logger, extra, patience = PATIENCE } = options;
  try {
    const applied = await migrateAlone(url, { logger, extra, patience });
    // Without the lock, because building an index waits for all statements, including those that wait for the lock.
    await maintainPartitions(url, { logger, onlyEmpty: true }).catch((error: unknown) =>
      logger.warn({ err: error }, 'partitions not created, a worker tries again'),
    );
    return { applied };
  } catch (error) {
    throw databaseProblem(error, url) ?? error;
  }
}

/** Migrates while no other process does. */
async function migrateAlone(
  url: string,
  { logger, extra, patience }: { logger: Logger; extra?: Extra | undefined; patience: MigrationPatience },
): Promise<string[]> {
  const client = await connectOnce(url, { application: 'tarsy-migrate', logger });
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await applyMigrations(client, url, logger, patience);
    if (extra) await untilUnlocked(() => extra(withLockTimeout(url, patience)), logger, patience);
    return applied;
  } finally {
    await client.end(); // releases the lock
  }
}

async function applyMigrations(
  client: pg.Client,
  url: string,
  logger: Logger,
  patience: MigrationPatience,
): Promise<string[]> {
  const [before, names] = await Promise.all([executedMigrations(client), migrationNames()]);
  refuseNewerDatabase(before, names);
  if (names.every((name) => before.has(name))) return [];
  // Loaded on demand, because most starts have nothing to migrate.
  const { openMigrator } = await import('./migrator.ts');
  const orm = await openMigrator(url, {
    lockTimeoutMs: patience.lockTimeoutMs,
    logger: (message) => logger.debug(message),
  });
  try {
    await untilUnlocked(() => orm.migrator.up(), logger, patience);
  } finally {
    await orm.close(true);
  }
  const applied = [...(await executedMigrations(client))].filter((name) => !before.has(name));
  logger.info({ applied: applied.length, last: applied.at(-1) }, 'database migrated');
  return applied;
}

async function executedMigrations(client: pg.Client): Promise<Set<string>> {
  const found = await client.query('select 1 where to_regclass($1) is not null', [MIGRATIONS_TABLE]);
  if (found.rowCount === 0) return new Set(); // the database is empty
  const { rows } = await client.query<{ name: string }>(`select name from ${MIGRATIONS_TABLE} order by id`);
  return new Set(rows.map(({ name }) => name));
}

/** Retries `migrate` while a lock is unavailable. Every step either commits or rolls back, so a retry is safe. */
async function untilUnlocked(
  migrate: () => Promise<unknown>,
  logger: Logger,
  { retryMs }: MigrationPatience,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return void (await migrate());
    } catch (error) {
      if (!isLocked(error)) throw error;
      logger.warn('migration waits for a lock that another session holds (a backup?), retrying');
      await delay(retryMs[Math.min(attempt, retryMs.length - 1)]);
    }
  }
}

function withLockTimeout(url: string, { lockTimeoutMs }: MigrationPatience): string {
  const limited = new URL(url);
  limited.searchParams.set('lock_timeout', `${lockTimeoutMs}`);
  return limited.href;
}

export class NewerDatabaseError extends Error {
  readonly code = 'DATABASE_NEWER';
  constructor(names: readonly string[]) {
    super(
      `The database has migrations that this version does not know and that change what it relies on (${names.join(', ')}). Start the newer version, or restore a backup from before its upgrade.`,
    );
    this.name = 'NewerDatabaseError';
  }
}

function refuseNewerDatabase(executed: ReadonlySet<string>, names: readonly string[]): void {
  // Older versions keep working after a migration that only adds. They lack its file, so its name ends with
  // `_additive`.
  const known = new Set([...names, MONTHS_BEGAN]);
  const unknown = [...executed].filter((name) => !known.has(name) && !name.endsWith('_additive'));
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
}
