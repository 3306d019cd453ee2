import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { migrateQueue } from '../../src/jobs/queue-pool.ts';
import { ensureDashboard } from '../../src/machine/dashboard-build.ts';
import { CONFIG_FOLDER } from './config.ts';
import { openNats } from './nats-mode.ts';
import { startTestServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * URL of a server on which tests create databases, and the name of the migrated database that they clone.
     */
    postgres: { adminUrl: string; template: string };
  }
}

/**
 * Prepares a test run: a PostgreSQL server with one migrated database to clone, NATS if the mode asks for it, a folder
 * for configurations (`CONFIG_FOLDER`), and the built dashboard. The dashboard is built here, because test files that built it in parallel would delete each other's output.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const logger = pino({ level: 'silent' });
  await ensureDashboard({ root: resolve(import.meta.dirname, '../..'), logger });
  const configs = await mkdtemp(join(tmpdir(), 'tarsy-configs-'));
  process.env[CONFIG_FOLDER] = configs; // test files inherit it
  const [server, nats] = await Promise.all([startTestServer(), openNats()]);
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
    await Promise.all([server.stop(), nats.stop(), rm(configs, { recursive: true, force: true })]);
  };
}
