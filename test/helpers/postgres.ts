import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  url: string;
  /** Removes the database, ending whatever is still connected to it. */
  drop(): Promise<void>;
}

let created = 0;

/** A migrated, empty database of its own for one test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = inject('postgres');
  const name = `tarsy_test_${process.pid}_${Date.now().toString(36)}_${++created}`;
  await asAdmin(adminUrl, `create database ${name} template ${template}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => asAdmin(adminUrl, `drop database if exists ${name} with (force)`) };
}

async function asAdmin(adminUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    // Only one copy of a template can be made at a time: parallel test files take turns.
    await client.query('select pg_advisory_lock(7331)');
    await client.query(sql);
  } finally {
    await client.end();
  }
}
