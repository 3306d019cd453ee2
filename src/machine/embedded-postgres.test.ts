import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import {
  childrenNamed,
  eventually,
  type Holder,
  IS_ROOT,
  makeCleanup,
  makeHome,
  NOBODY,
  query,
  removeHome,
  startHolder,
} from '../../test/fixtures/machine/postgres/harness.ts';
import { type EmbeddedPostgres, runningPostgresUrl, startEmbeddedPostgres } from './embedded-postgres.ts';
import { chooseAccount } from './postgres/account.ts';
import { readPostmasterFile } from './postgres/leftovers.ts';
import { isAlive, pidsWorkingIn, untilNoneWorksIn } from './proc.ts';

const logger = pino({ level: 'silent' });
const cleanup = makeCleanup();
afterEach(() => cleanup.run(), 60_000);

function home(owner?: { uid: number; gid: number }): string {
  const path = makeHome(owner);
  cleanup.add(() => removeHome(path));
  return path;
}

async function start(path: string, port = 0): Promise<EmbeddedPostgres & { url: string }> {
  const server = await startEmbeddedPostgres({ home: path, logger, port });
  cleanup.add(() => server.stop());
  return server;
}

async function hold(path: string, account = {}): Promise<Holder & { url: string }> {
  const holder = await startHolder(['embedded', path, '0'], account);
  cleanup.add(() => holder.end('SIGTERM'));
  if (holder.url === undefined) throw new Error(`not started: ${holder.code}`);
  return { ...holder, url: holder.url };
}

const remember = (url: string) => query(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
const recall = (url: string) => query<{ answer: number }>(url, 'SELECT answer FROM kept');
const dataOf = (path: string) => join(path, 'postgres');
const postmasterOf = (path: string) => readPostmasterFile(dataOf(path))?.pid ?? Number.NaN;

/** Kills a process, unless it has ended: a killed parent takes its children along. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const writePidFile = (path: string, content: string) =>
  writeFileSync(join(dataOf(path), 'postmaster.pid'), content);

describe('the embedded PostgreSQL', { timeout: 60_000 }, () => {
  it('creates data once, keeps it, and leaves no process and no lock', async () => {
    const path = home();
    const first = await start(path);
    await remember(first.url);
    const [settings] = await query<Record<string, unknown>>(
      first.url,
      `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
              current_setting('server_version_num')::int / 10000 AS major, current_database() AS database,
              pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider
         FROM pg_database WHERE datname = current_database()`,
    );
    expect(settings).toEqual({
      fsync: 'on',
      pages: 'on',
      major: 18,
      database: 'tarsy',
      encoding: 'UTF8',
      provider: 'b',
    });
    await first.stop();
    expect(pidsWorkingIn(dataOf(path), 'postgres')).toEqual([]);
    expect(readdirSync(path).sort()).toEqual(['logs', 'postgres']);

    const second = await start(path);
    expect(await recall(second.url)).toEqual([{ answer: 42 }]);
  });

  it('is found by other programs of the same data home, for as long as it runs', async () => {
    const path = home();
    expect(runningPostgresUrl(path)).toBeNull();
    const { url, stop } = await start(path);
    expect(runningPostgresUrl(path)).toBe(url);
    await stop();
    expect(runningPostgresUrl(path)).toBeNull();
  });

  it('asks for the password', async () => {
    const { url } = await start(home());
    const other = new URL(url);
    other.password = 'guess';
    await expect(query(other.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it.runIf(IS_ROOT)('runs as an ordinary user as itself', async () => {
    const path = home(NOBODY);
    const first = await hold(path, NOBODY);
    await remember(first.url);
    await first.end('SIGTERM');
    expect(pidsWorkingIn(dataOf(path), 'postgres')).toEqual([]);
    const second = await hold(path, NOBODY);
    expect(await recall(second.url)).toEqual([{ answer: 42 }]);
  });

  it.runIf(IS_ROOT)(
    'takes over as root what an ordinary user made, and not the other way round',
    async () => {
      const path = home(NOBODY);
      const first = await hold(path, NOBODY);
      await remember(first.url);
      await first.end('SIGTERM');
      expect(await recall((await start(path)).url)).toEqual([{ answer: 42 }]);

      const ofRoot = home();
      await (await start(ofRoot)).stop();
      chownSync(ofRoot, NOBODY.uid, NOBODY.gid);
      chownSync(join(ofRoot, 'logs'), NOBODY.uid, NOBODY.gid);
      chownSync(join(ofRoot, 'logs', 'postgres.log'), NOBODY.uid, NOBODY.gid);
      const refused = await startHolder(['embedded', ofRoot], NOBODY);
      expect(refused.code).toBe('DATA_OF_OTHER_USER');
      await (await start(ofRoot)).stop();
    },
  );

  it('chooses another port if the preferred one is taken', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => new Promise((resolve) => squatter.close(resolve)));
    const { port } = squatter.address() as { port: number };
    const { url } = await start(home(), port);
    expect(new URL(url).port).not.toBe(String(port));
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('lets one of two concurrent starts win and damages nothing', async () => {
    const path = home();
    const both = await Promise.all([
      startHolder(['embedded', path, '0']),
      startHolder(['embedded', path, '0']),
    ]);
    for (const one of both) cleanup.add(() => one.end('SIGTERM'));
    expect(both.map(({ code }) => code ?? 'UP').sort()).toEqual(['IN_USE', 'UP']);
    const winner = both.find(({ url }) => url !== undefined)!;
    expect(await query(winner.url!, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('after a violent end', { timeout: 60_000 }, () => {
  it('shuts the server down when its parent is killed', async () => {
    const path = home();
    const holder = await hold(path);
    await holder.end('SIGKILL');
    expect(await untilNoneWorksIn(dataOf(path), 'postgres', 30_000)).toBe(true);
    expect(existsSync(join(dataOf(path), 'postmaster.pid'))).toBe(false);
  });

  it('starts at once after its parent was killed, with the data', async () => {
    const path = home();
    const holder = await hold(path);
    await remember(holder.url);
    await holder.end('SIGKILL');
    expect(await recall((await start(path)).url)).toEqual([{ answer: 42 }]);
  });

  it('stops a server that outlived its parent and its guardian', async () => {
    const path = home();
    const holder = await hold(path);
    await remember(holder.url);
    const orphan = postmasterOf(path);
    for (const guardian of childrenNamed(holder.pid, 'sh')) process.kill(guardian, 'SIGKILL');
    await holder.end('SIGKILL');
    expect(await recall(holder.url)).toEqual([{ answer: 42 }]);
    const next = await start(path);
    expect(await recall(next.url)).toEqual([{ answer: 42 }]);
    expect(pidsWorkingIn(dataOf(path), 'postgres')).not.toContain(orphan);
  });

  it('starts after everything was killed', async () => {
    const path = home();
    const holder = await hold(path);
    await remember(holder.url);
    const all = [...childrenNamed(holder.pid, 'sh'), holder.pid, ...pidsWorkingIn(dataOf(path), 'postgres')];
    for (const pid of all) killIfAlive(pid);
    expect(await recall((await start(path)).url)).toEqual([{ answer: 42 }]);
  });

  it('restarts a killed server at the same address', async () => {
    const path = home();
    const { url } = await start(path);
    await remember(url);
    const before = postmasterOf(path);
    process.kill(before, 'SIGKILL');
    await eventually(async () => {
      expect(postmasterOf(path)).not.toBe(before);
      expect(await recall(url)).toEqual([{ answer: 42 }]);
    });
  });

  it('starts despite a pid file that names an unrelated process, and leaves that running', async () => {
    const path = home();
    await (await start(path)).stop();
    // Same account, or PostgreSQL would ignore the process. Works in the data folder, as a user's shell may.
    const cwd = dataOf(path);
    const stranger = spawn('/bin/sleep', ['600'], { ...chooseAccount(cwd).spawn, cwd, stdio: 'ignore' });
    cleanup.add(() => stranger.kill('SIGKILL'));
    writePidFile(path, `${stranger.pid}\n/elsewhere\n1\n5432\n\n*\n\nready\n`);
    const { url } = await start(path);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(isAlive(stranger.pid!)).toBe(true);
    expect(stranger.signalCode).toBe(null);
  });

  it.each([
    ['names a process that is gone', '4194303\n/elsewhere\n1\n5432\n\n*\n\nready\n'],
    ['is empty', ''],
    ['holds rubbish', 'what?\n'],
  ])('starts despite a pid file that %s', async (_what, content) => {
    const path = home();
    await (await start(path)).stop();
    writePidFile(path, content);
    const { url } = await start(path);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('starts despite incomplete data, and keeps what it does not recognise', async () => {
    const path = home();
    mkdirSync(join(path, 'postgres.new-abc', 'data', 'base'), { recursive: true });
    mkdirSync(join(path, 'postgres', 'base'), { recursive: true });
    await start(path);
    const names = readdirSync(path);
    expect(names).not.toContain('postgres.new-abc');
    expect(names.filter((name) => name.startsWith('postgres.incomplete-'))).toHaveLength(1);
  });
});
