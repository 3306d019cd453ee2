import { resolve } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { migrateQueue } from '../../src/jobs/migrate.ts';
import { ensureDashboard } from '../../src/machine/dashboard-build.ts';
import { startTestServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server that tests may create databases on, and the migrated database they clone. */
    postgres: { adminUrl: string; template: string };
  }
}

/**
 * What a whole run has once: a PostgreSQL server with one migrated database that each test file clones, and the
 * dashboard, which files that built it side by side would take away from each other.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const logger = pino({ level: 'silent' });
  await ensureDashboard({ root: resolve(import.meta.dirname, '../..'), logger });
  const server = await startTestServer();
  const template = `tarsy_template_${process.pid}`;
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`create database ${template}`);
  const url = new URL(server.url);
  url.pathname = `/${template}`;
  await migrateDatabase(url.href, { logger, extra: (target) => migrateQueue(target, logger) });
  project.provide('postgres', { adminUrl: server.url, template });
  return async () => {
    await admin.query(`drop database if exists ${template} with (force)`);
    await admin.end();
    await server.stop();
  };
}
