import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

let database: TestDatabase;
let parent: string;
beforeAll(async () => {
  database = await createTestDatabase();
  parent = await mkdtemp(join(tmpdir(), 'tarsy-migrate-'));
});
afterAll(async () => {
  await database.drop();
  await rm(parent, { recursive: true });
});

test('migrates from a folder whose name is no URL', async () => {
  const folder = join(parent, 'Ops [été] 100%20 #1');
  await mkdir(folder);
  for (const name of ['src', 'migrations', 'package.json'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('drop schema public cascade; create schema public').finally(() => client.end());

  const migrate = () =>
    run(process.execPath, [join(folder, 'src/main.ts'), 'migrate'], {
      env: { ...process.env, DATABASE_URL: database.url },
    });
  expect((await migrate()).stdout).toMatch(/^Migrated: Migration\d/);
  expect((await migrate()).stdout).toBe('Nothing to migrate.\n');
});
