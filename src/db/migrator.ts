import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM } from '@mikro-orm/postgresql';
import * as entities from './entities/index.ts';
import { loadMigrations, MIGRATIONS_TABLE } from './migrations.ts';

/** Every entity, listed: nothing is discovered by scanning. */
export const ENTITIES = Object.values(entities);

/**
 * Opens the ORM for one database, with what runs migrations (`migrator`) and compares entities with the database (`schema`).
 * It is loaded for that alone: at rest it takes 13 MiB. No connection is made before the first query. Close it with
 * `close(true)`.
 */
export async function openMigrator(
  url: string,
  options: {
    /** Milliseconds that a statement waits for a lock; as long as it takes without. */
    lockTimeoutMs?: number;
    /** Takes what the ORM says of itself; silent without. */
    logger?: (message: string) => void;
  } = {},
) {
  const { lockTimeoutMs, logger = () => {} } = options;
  return MikroORM.init(
    defineConfig({
      clientUrl: url,
      entities: [...ENTITIES],
      pool: { min: 0, max: 1 },
      // Of the URL the ORM takes host, port, user, password and database: what else it says (sslmode) would not be kept to.
      driverOptions: {
        connectionString: url,
        ...(lockTimeoutMs !== undefined && { lock_timeout: lockTimeoutMs }),
      },
      forceUtcTimezone: true,
      colors: false,
      logger,
      schemaGenerator: {
        skipTables: [MIGRATIONS_TABLE],
        ignoreSchema: ['graphile_worker'],
        ignoreRoutines: true,
      },
      extensions: [Migrator],
      migrations: {
        // Not by the folder's path, which the ORM would read as a pattern: one with brackets finds nothing.
        migrationsList: await loadMigrations(),
        tableName: MIGRATIONS_TABLE,
        snapshot: false,
        emit: 'ts',
        disableForeignKeys: false,
        // Each migration is a transaction of its own, unless it says otherwise: one that reads much would hold the locks of all.
        allOrNothing: false,
      },
    }),
  );
}
