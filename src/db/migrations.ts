import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MigrationObject } from '@mikro-orm/core';

export const MIGRATIONS_TABLE = 'mikro_orm_migrations';
/**
 * Recorded like a migration once rows lie in a second partition. Versions without partitions then refuse the database, because
 * their retention identifies rows by `ctid`, which is unique only within one partition.
 */
export const MONTHS_BEGAN = 'Migration20261129000000_months_began';

const MIGRATIONS_DIR = resolve(import.meta.dirname, '../../migrations');

/** Returns the names of this version's migrations, oldest first. */
export async function migrationNames(): Promise<string[]> {
  const files = await readdir(MIGRATIONS_DIR);
  return files.flatMap((file) => /^(Migration.*)\.ts$/.exec(file)?.[1] ?? []).toSorted();
}

export async function loadMigrations(): Promise<MigrationObject[]> {
  const load = async (name: string) => {
    const module = await import(pathToFileURL(join(MIGRATIONS_DIR, `${name}.ts`)).href);
    return { name, class: module[name] };
  };
  return Promise.all((await migrationNames()).map(load));
}
