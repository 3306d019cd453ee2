import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM } from '@mikro-orm/postgresql';
import * as entities from './entities/index.ts';
import { loadMigrations, MIGRATIONS_TABLE } from './migrations.ts';

export const ENTITIES = Object.values(entities);

/**
 * Opens the ORM, to run migrations (`migrator`) and to compare entities with the database (`schema`). Import this file
 * only for that, because the ORM occupies 13 MiB. The ORM connects at the first query. Close it with `close(true)`.
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
        // A list, because the ORM reads a folder's path as a glob pattern, in which brackets would match nothing.
        migrationsList: await loadMigrations(),
        tableName: MIGRATIONS_TABLE,
        snapshot: false,
        emit: 'ts',
        disableForeignKeys: false,
        // One transaction per migration, so that no transaction holds the locks of all migrations.
        allOrNothing: false,
      },
    }),
  );
}
