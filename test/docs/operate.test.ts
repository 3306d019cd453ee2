import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readSkills } from '../../src/engine/features/skills/folder.ts';
import { applyRetention } from '../../src/engine/sessions/retention.ts';
import { runningPostgresUrl } from '../../src/machine/embedded-postgres.ts';
import { loadText } from '../fixtures/config/load-text.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Returns the shell commands of a how-to page, by block. */
function commandsOf(page: string): string[] {
  const text = readFileSync(join(ROOT, 'docs/how-to', `${page}.md`), 'utf8');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
}
const blockWith = (page: string, words: string) => {
  const block = commandsOf(page).find((text) => text.includes(words));
  if (block === undefined) throw new Error(`${page}.md has no block with ${words}`);
  return block;
};

let app: TestApp;
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tarsy-operate-'));
  app = await startTestApp();
  app.llm.script({ text: 'The disk is full.' });
  app.llm.otherwise({ text: 'Remove logs.' });
  const client = apiClient(app.url);
  const id = await client.submit('Disk full');
  await client.waitFor(id, ({ status }) => ENDED.has(status));
});
afterAll(async () => {
  await app.stop();
  rmSync(dir, { recursive: true });
});

/** Runs a block in a folder of its own, without pagers. */
async function shell(block: string, env: Record<string, string> = {}): Promise<string> {
  const own = { DATABASE_URL: app.database.url, ...env };
  const { stdout } = await run('bash', ['-ec', block], { cwd: dir, env: { ...process.env, ...own } });
  return stdout.trim();
}

/** True if a client program of PostgreSQL is missing, or cannot work with the server, such as an old `pg_dump`. */
function cannotRun(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'pipe' });
    return false;
  } catch {
    return true;
  }
}
const { adminUrl } = inject('postgres');
const withoutPsql = cannotRun('psql', adminUrl, '-c', 'select 1');
const withoutDump = withoutPsql || cannotRun('pg_dump', adminUrl, '--schema-only', '--file=/dev/null');

describe('the commands of the pages', { shuffle: false }, () => {
  test.skipIf(withoutDump)('a backup is restored into another database with its sessions', async () => {
    const restored = `restored_${process.pid}`;
    const url = new URL(app.database.url);
    url.pathname = `/${restored}`;
    const env = { ADMIN_URL: adminUrl, RESTORED_URL: url.href };
    await shell(blockWith('operate/back-up-and-restore', 'pg_dump'));
    await shell(
      blockWith('operate/back-up-and-restore', 'pg_restore').replaceAll('tarsy_restored', restored),
      env,
    );
    try {
      const counted = await shell(blockWith('operate/back-up-and-restore', 'count(*)'), env);
      expect(counted).toMatch(/^1\|20\d\d-/);
    } finally {
      await shell(blockWith('operate/uninstall', 'dropdb').replace(/ tarsy$/m, ` ${restored}`), env);
    }
    await expect(shell(blockWith('operate/back-up-and-restore', 'count(*)'), env)).rejects.toThrow(restored);
  });

  test('the data folder is restored from its archive, also if it is a link', async () => {
    mkdirSync(join(dir, 'outside/postgres'), { recursive: true });
    await shell(
      'mkdir .tarsy; ln -s ../outside/postgres .tarsy/postgres; echo 18 > .tarsy/postgres/PG_VERSION; echo one > .tarsy/key',
    );
    const page = 'operate/back-up-and-restore';
    await shell(blockWith(page, 'tar --create'));
    expect(await shell('stat --format=%a tarsy-home.tar.gz')).toBe('600');
    await shell('echo other > .tarsy/postgres/PG_VERSION; echo two > .tarsy/key');
    await shell(blockWith(page, 'tar --extract').replace('npm start', ''));
    expect(await shell('cat outside/postgres/PG_VERSION .tarsy/postgres/PG_VERSION .tarsy/key')).toBe(
      '18\n18\none',
    );
    expect(await shell('cat outside/postgres-before/PG_VERSION')).toBe('other');
    await shell(blockWith('operate/uninstall', 'rm -r'));
    expect(await shell('ls -A outside; test ! -e .tarsy')).toBe('postgres-before');
  });

  /** Returns a function that returns the block of the page on retention with some words, with the id of the session. */
  async function blocksOfSession(): Promise<(words: string) => string> {
    const uuid = await shell(`psql "$DATABASE_URL" -Atc 'select id from alert_sessions'`);
    return (words) => blockWith('operate/retention', words).replace(/01a220ba-[\w-]+/, uuid);
  }

  test.skipIf(withoutPsql)('a session is hidden and brought back in the database', async () => {
    const client = apiClient(app.url);
    const shown = async () =>
      (await client.query<{ sessions: { totalCount: number } }>('{ sessions(first: 1) { totalCount } }'))
        .sessions.totalCount;
    const own = await blocksOfSession();
    await shell(own('deleted_at = now()'));
    expect(await shown()).toBe(0);
    await shell(own('deleted_at = null'));
    expect(await shown()).toBe(1);
    expect(await shell(own('pg_size_pretty'))).toMatch(/^\d+ [kM]B$/);
  });

  test.skipIf(withoutPsql)('a session is removed at once, and its alert group as the page says', async () => {
    const own = await blocksOfSession();
    const { sessionRetentionDays, graceDays } = (await loadText('')).system.retention;
    await shell(own("interval '31 days'"));
    const db = new pg.Pool({ connectionString: app.database.url });
    await db.query(`insert into alert_groups (id, source, group_key, title, severity, state, alert_type, session_id, opened_at, last_received_at)
    select gen_random_uuid(), 'prod', key, 'Disk full', 'ERROR', 'FIRING', 'host', session, now(), now()
    from (values ('its group', (select id from alert_sessions)), ('another group', gen_random_uuid())) as g (key, session)`);
    const rule = { retentionDays: sessionRetentionDays, graceDays, signal: new AbortController().signal };
    const removed = await applyRetention({ db, logger: app.logger, ...rule });
    await db.end();
    expect(removed).toEqual({ hidden: 0, removed: 1 });
    await shell(own('delete from alert_groups'));
    const left = await shell(`psql "$DATABASE_URL" -Atc 'select group_key from alert_groups'`);
    expect(left).toBe('another group');
  });

  test('the address of the embedded database is that of the page', async () => {
    const home = join(dir, 'own-home');
    mkdirSync(join(home, '.tarsy/postgres'), { recursive: true });
    writeFileSync(join(home, '.tarsy/postgres/tarsy.password'), 'a-password\n');
    const lines = [process.pid, 'data', 0, 54_329, 'socket', '127.0.0.1', 0, 'ready'];
    writeFileSync(join(home, '.tarsy/postgres/postmaster.pid'), `${lines.join('\n')}\n`);
    const block = blockWith('install/database-and-key', 'tarsy.password');
    const printed = await shell(`cd own-home\n${block}echo "$DATABASE_URL"`);
    expect(printed).toBe(runningPostgresUrl(join(home, '.tarsy')));
  });

  test.skipIf(withoutPsql)(
    'the newest migrations are listed as the folder of migrations has them',
    async () => {
      const listed = await shell(blockWith('operate/roll-back', 'mikro_orm_migrations'));
      const files = (await shell(`ls ${ROOT}/migrations`))
        .split('\n')
        .map((file) => file.replace(/\.ts$/, ''));
      expect(listed.split('\n')).toEqual(
        files
          .filter((name) => name.startsWith('Migration'))
          .slice(-5)
          .reverse(),
      );
    },
  );

  test('the example skill is one that a start takes', async () => {
    await shell(blockWith('configure/skills', 'my-skills').replace(/^CONFIG_DIR=.*$/m, ''));
    const { skills, issues } = await readSkills(join(dir, 'my-skills/skills'));
    expect(issues).toEqual([]);
    expect(skills).toMatchObject([
      { name: 'postgres-locks', body: expect.stringContaining('Name the application') },
    ]);
  });
});
