import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MigrationObject } from '@mikro-orm/core';

/** Where a database keeps the names of the migrations that it had. */
export const MIGRATIONS_TABLE = 'mikro_orm_migrations';
const MIGRATIONS_DIR = resolve(import.meta.dirname, '../../migrations');

/** The names of the migrations that this version has. */
export async function migrationNames(): Promise<string[]> {
  const files = await readdir(MIGRATIONS_DIR);
  return files
    .filter((file) => /^Migration.*\.ts$/.test(file))
    .map((file) => file.replace(/\.ts$/, ''))
    .toSorted();
}

/** The migrations, oldest first. */
export async function loadMigrations(): Promise<MigrationObject[]> {
  const load = async (name: string) => {
    const module = await import(pathToFileURL(join(MIGRATIONS_DIR, `${name}.ts`)).href);
    return { name, class: module[name] };
  };
  return Promise.all((await migrationNames()).map(load));
}
