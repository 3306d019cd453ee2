import { readdir } from 'node:fs/promises';

/** Where the migrations are, and where a database keeps the names of those that it had. */
export const MIGRATIONS_DIR = new URL('../../migrations', import.meta.url).pathname;
export const MIGRATIONS_TABLE = 'mikro_orm_migrations';

/** The names of the migrations that this version has. */
export async function migrationNames(): Promise<string[]> {
  const files = await readdir(MIGRATIONS_DIR);
  return files.filter((file) => /^Migration.*\.ts$/.test(file)).map((file) => file.replace(/\.ts$/, ''));
}
