import { defineConfig, MikroORM } from '@mikro-orm/postgresql';
import * as entities from './entities/index.ts';
import { MIGRATIONS_TABLE } from './migrations.ts';

/** Every entity, listed: nothing is discovered by scanning. */
export const ENTITIES = Object.values(entities);

export interface OrmOptions extends Pick<Parameters<typeof defineConfig>[0], 'extensions' | 'migrations'> {
  maxConnections?: number;
  /** Milliseconds that a statement waits for a lock; as long as it takes without. */
  lockTimeoutMs?: number | undefined;
  /** Takes what the ORM says of itself; silent without. */
  logger?: ((message: string) => void) | undefined;
}

export type Orm = Awaited<ReturnType<typeof openOrm>>;

/** Opens the ORM for one database; no connection is made before the first query. Close it with `orm.close(true)`. */
export async function openOrm(url: string, options: OrmOptions = {}) {
  const { maxConnections = 10, lockTimeoutMs, logger = () => {}, ...more } = options;
  return MikroORM.init(
    defineConfig({
      ...more,
      clientUrl: url,
      entities: [...ENTITIES],
      pool: { min: 0, max: maxConnections },
      driverOptions: lockTimeoutMs === undefined ? {} : { lock_timeout: lockTimeoutMs },
      forceUtcTimezone: true,
      colors: false,
      logger,
      schemaGenerator: {
        skipTables: [MIGRATIONS_TABLE],
        ignoreSchema: ['graphile_worker'],
        ignoreRoutines: true,
      },
    }),
  );
}
