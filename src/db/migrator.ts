import { Migrator } from '@mikro-orm/migrations';
import { MIGRATIONS_DIR, MIGRATIONS_TABLE } from './migrations.ts';
import { type OrmOptions, openOrm } from './orm.ts';

/** Opens the ORM with what runs migrations (`migrator`) and compares entities with the database. Close it with `close(true)`. */
export async function openMigrator(url: string, options: Pick<OrmOptions, 'lockTimeoutMs' | 'logger'> = {}) {
  return openOrm(url, {
    ...options,
    maxConnections: 1,
    extensions: [Migrator],
    migrations: {
      path: MIGRATIONS_DIR,
      tableName: MIGRATIONS_TABLE,
      glob: 'Migration*.ts',
      snapshot: false,
      emit: 'ts',
      disableForeignKeys: false,
      // Each migration is a transaction of its own, unless it says otherwise: one that reads much would hold the locks of all.
      allOrNothing: false,
    },
  });
}
