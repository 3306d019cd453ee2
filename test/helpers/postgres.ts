import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';
import { openTestPool } from './deliveries.ts';

export interface TestDatabase {
  url: string;
  /** Drops the database and ends open connections to it. */
  drop(): Promise<void>;
}

let created = 0;

/** Creates a migrated, empty database for one test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = inject('postgres');
  const name = `tarsy_test_${process.pid}_${Date.now().toString(36)}_${++created}`;
  await asAdmin(adminUrl, `create database ${name} template ${template}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await withoutConnections(adminUrl, name);
      await asAdmin(adminUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

/** Connections to a database of their own. `drop` closes them and drops it. */
export type TestPool = pg.Pool & Pick<TestDatabase, 'drop'>;

/** Creates a migrated, empty database for one test file and opens connections to it. */
export async function createTestPool(): Promise<TestPool> {
  const database = await createTestDatabase();
  const pool = openTestPool(database.url);
  const drop = async () => {
    await pool.end();
    await database.drop();
  };
  return Object.assign(pool, { drop });
}

/**
 * Time for closing connections to end (ms). Ending a connection by force would fail the test that runs at
 * that time.
 */
const CLOSING_MS = 1_000;

async function withoutConnections(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const until = performance.now() + CLOSING_MS;
  const open = `select 1 from pg_stat_activity where datname = $1 limit 1`;
  while ((await client.query(open, [name])).rows.length > 0 && performance.now() < until) await delay(10);
  await client.end();
}

async function asAdmin(adminUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    // PostgreSQL makes only one copy of a template at a time, so parallel test files wait for this lock.
    await client.query('select pg_advisory_lock(7331)');
    await client.query(sql);
  } finally {
    await client.end();
  }
}
