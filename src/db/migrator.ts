import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM } from '@mikro-orm/postgresql';
import * as entities from './entities/index.ts';
import { loadMigrations, MIGRATIONS_TABLE } from './migrations.ts';

export const ENTITIES = Object.values(entities);

/**
 * Opens the ORM for one database, to run migrations (`migrator`) and to compare entities with the database (`schema`).
 * Load it only for that, because it takes 13 MiB at rest. The ORM connects at the first query. Close it with `close(true)`.
 */
export async function openMigrator(
  url: string,
  options: { lockTimeoutMs?: number; logger?: (message: string) => void } = {},
) {
  const { lockTimeoutMs, logger = () => {} } = options;
  return MikroORM.init(
    defineConfig({
      clientUrl: url,
      entities: [...ENTITIES],
      pool: { min: 0, max: 1 },
      // The ORM reads only host, port, user, password and database from the URL and would ignore the rest (sslmode).
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
        // A list instead of the folder's path, which the ORM reads as a glob: brackets in it would match nothing.
        migrationsList: await loadMigrations(),
        tableName: MIGRATIONS_TABLE,
        snapshot: false,
        emit: 'ts',
        disableForeignKeys: false,
        // One transaction per migration, so that a long one does not hold the locks of all.
        allOrNothing: false,
      },
    }),
  );
}
