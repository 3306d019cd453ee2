import { readEnvironment } from '../config/env.ts';
import { createLogger } from './logger.ts';
import { requireVariable } from './required.ts';
import { migrate } from './wiring/app.ts';

/** Runs the command `migrate`: migrates the database of DATABASE_URL. @returns the exit code */
export async function migrateOnly(env: NodeJS.ProcessEnv): Promise<number> {
  const environment = readEnvironment(env);
  const databaseUrl = requireVariable('migrate', 'DATABASE_URL', environment.databaseUrl);
  const { applied } = await migrate(databaseUrl, createLogger(environment));
  process.stdout.write(applied.length === 0 ? 'Nothing to migrate.\n' : `Migrated: ${applied.join(', ')}\n`);
  return 0;
}
