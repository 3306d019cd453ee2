import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { MIGRATIONS_TABLE, migrationNames } from './migrations.ts';

/** Key of the advisory lock that lets one process at a time migrate a database ("tarsy", as bytes). */
const MIGRATION_LOCK = 0x7461727379;

/** How a migration behaves towards those who use the database meanwhile. */
export interface MigrationPatience {
  /**
   * Milliseconds that one of its statements waits for a lock. Everybody who comes later waits behind it, readers too, for as
   * long as somebody before it (a pg_dump, say) holds the lock.
   */
  lockTimeoutMs: number;
  /** Milliseconds until it asks again: first, growing to the last. In between the others get on. */
  retryMs: readonly number[];
}

const PATIENCE: MigrationPatience = { lockTimeoutMs: 2_000, retryMs: [1_000, 2_000, 5_000, 10_000] };

/** Milliseconds to wait for a connection. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Brings the database to the newest schema. Processes that start together wait for one another. A database that is newer than
 * this code is refused, unless what it has more is only additive.
 * `extra` runs under the same lock after our own migrations (the job queue's tables).
 */
export async function migrateDatabase(
  url: string,
  options: { logger: Logger; extra?: (url: string) => Promise<void>; patience?: MigrationPatience },
): Promise<{ applied: string[] }> {
  const { logger, extra, patience = PATIENCE } = options;
  const client = new pg.Client({
    connectionString: url,
    application_name: 'tarsy-migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', (error) => logger.warn({ err: error }, 'migration connection lost'));
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await applyMigrations(client, url, logger, patience);
    if (extra) await untilUnlocked(() => extra(withLockTimeout(url, patience)), logger, patience);
    return { applied };
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
  // Loaded here: most starts have nothing to migrate.
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
  logger.info({ applied }, 'database migrated');
  return applied;
}

/** The names of the migrations that a database has had; none of an empty one. */
async function executedMigrations(client: pg.Client): Promise<Set<string>> {
  const { rows: tables } = await client.query<{ name: string | null }>('select to_regclass($1) as name', [
    MIGRATIONS_TABLE,
  ]);
  if (tables[0]?.name == null) return new Set();
  const { rows } = await client.query<{ name: string }>(`select name from ${MIGRATIONS_TABLE} order by id`);
  return new Set(rows.map(({ name }) => name));
}

/** What was done before a lock could not be had stays done, or was taken back whole: either way it can be begun again. */
async function untilUnlocked(
  migrate: () => Promise<unknown>,
  logger: Logger,
  { retryMs }: MigrationPatience,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await migrate();
      return;
    } catch (error) {
      if (!isLocked(error)) throw error;
      logger.warn('a migration needs a lock that others hold (a backup?), trying again');
      await delay(retryMs[Math.min(attempt, retryMs.length - 1)]);
    }
  }
}

/** lock_not_available: waited for too long; deadlock_detected: two waited for each other, and this one was chosen. */
const LOCKED: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return LOCKED.has('code' in error && error.code) || isLocked(error.cause);
}

function withLockTimeout(url: string, { lockTimeoutMs }: MigrationPatience): string {
  const limited = new URL(url);
  limited.searchParams.set('lock_timeout', `${lockTimeoutMs}`);
  return limited.href;
}

/** The database was migrated by a newer version of the program. */
export class NewerDatabaseError extends Error {
  readonly code = 'DATABASE_NEWER';
  constructor(names: readonly string[]) {
    super(
      `The database has migrations that this version does not know and that change what it relies on (${names.join(', ')}). Start the newer version, or restore a backup from before its upgrade.`,
    );
    this.name = 'NewerDatabaseError';
  }
}

/**
 * Ends the name of a migration that only adds: the program of before it works on. The name is what the database keeps of a
 * migration, so a version that does not know the file can read it.
 */
const ADDITIVE = '_additive';

function refuseNewerDatabase(executed: ReadonlySet<string>, names: readonly string[]): void {
  const unknown = [...executed].filter((name) => !names.includes(name) && !name.endsWith(ADDITIVE));
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
}
