import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM } from '@mikro-orm/postgresql';
import * as entities from './entities/index.ts';

const MIGRATIONS_DIR = new URL('../../migrations', import.meta.url).pathname;

/** Every entity, listed: nothing is discovered by scanning. */
export const ENTITIES = Object.values(entities);

export interface OrmOptions {
  maxConnections?: number;
  /** Milliseconds that a statement waits for a lock; as long as it takes without. */
  lockTimeoutMs?: number;
  /** Takes what the ORM says of itself; silent without. */
  logger?: (message: string) => void;
}

/** Options of the ORM for one database; no connection is made before the first query. */
function ormConfig(url: string, options: OrmOptions = {}) {
  return defineConfig({
    clientUrl: url,
    entities: [...ENTITIES],
    extensions: [Migrator],
    pool: { min: 0, max: options.maxConnections ?? 10 },
    driverOptions: options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs },
    forceUtcTimezone: true,
    colors: false,
    logger: options.logger ?? (() => {}),
    schemaGenerator: {
      skipTables: ['mikro_orm_migrations'],
      ignoreSchema: ['graphile_worker'],
      ignoreRoutines: true,
    },
    migrations: {
      path: MIGRATIONS_DIR,
      tableName: 'mikro_orm_migrations',
      glob: 'Migration*.ts',
      snapshot: false,
      emit: 'ts',
      disableForeignKeys: false,
      // Each migration is a transaction of its own, unless it says otherwise: one that reads much would hold the locks of all.
      allOrNothing: false,
    },
  });
}

export type Orm = Awaited<ReturnType<typeof openOrm>>;

/** Opens the ORM. Close it with `orm.close(true)`. */
export async function openOrm(url: string, options: OrmOptions = {}) {
  return MikroORM.init(ormConfig(url, options));
}
