import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { acquireInstanceLock } from './instance-lock.ts';

const HOLDER = fileURLToPath(new URL('../../test/fixtures/machine/hold-lock.ts', import.meta.url));
let home: string;
let children: ChildProcess[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tarsy-lock-'));
  children = [];
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

async function hold(url = 'http://127.0.0.1:8080', env: NodeJS.ProcessEnv = {}) {
  const { npm_lifecycle_event: _, ...rest } = process.env;
  const child = spawn(process.execPath, [HOLDER, home, url], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...rest, ...env },
  });
  children.push(child);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value as string;
  return { child, said: await next(), next };
}

it('lets exactly one of eight processes in', { timeout: 60_000 }, async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => hold()));
  expect(all.filter(({ said }) => said === 'held')).toHaveLength(1);
  expect(all.filter(({ said }) => said.startsWith('TARSy is already running'))).toHaveLength(7);
});

it('names the holder and its URL', async () => {
  const { child } = await hold('http://127.0.0.1:9999');
  const refused = await hold();
  expect(refused.said).toBe(
    `TARSy is already running (pid ${child.pid}, http://127.0.0.1:9999): stop it, or set TARSY_HOME to another folder`,
  );
  const [code] = await once(refused.child, 'exit');
  expect(code).toBe(1);
});

it('is free after a release, which leaves nothing', async () => {
  const lock = await acquireInstanceLock({ home });
  await expect(acquireInstanceLock({ home })).rejects.toMatchObject({ code: 'ALREADY_RUNNING' });
  lock.release();
  lock.release();
  expect(readdirSync(home)).toEqual([]);
  (await acquireInstanceLock({ home })).release();
});

it('is free after its holder was killed', async () => {
  const { child } = await hold();
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  expect(readdirSync(home)).not.toEqual([]);
  // Starts eight processes again, because exactly one may take over the lock of a dead holder.
  const all = await Promise.all(Array.from({ length: 8 }, () => hold()));
  expect(all.filter(({ said }) => said === 'held')).toHaveLength(1);
}, 60_000);

it('waits for a holder that is stopping', async () => {
  const { child, next } = await hold('http://127.0.0.1:1', { SLOW_LEAVE_MS: '400' });
  child.stdin?.end();
  expect(await next()).toBe('leaving');
  const lock = await acquireInstanceLock({ home });
  lock.release();
});

it('waits for a holder that has removed its record and not yet released the lock', async () => {
  const { child, next } = await hold('http://127.0.0.1:1', { SLOW_LEAVE_MS: '1000' });
  child.stdin?.end();
  expect(await next()).toBe('leaving');
  rmSync(join(home, 'instance.json'));
  (await acquireInstanceLock({ home })).release();
});

it('refuses after a moment if a holder never has a record', async () => {
  await hold();
  rmSync(join(home, 'instance.json'));
  await expect(acquireInstanceLock({ home })).rejects.toMatchObject({
    code: 'ALREADY_RUNNING',
    message: 'TARSy is already running: stop it, or set TARSY_HOME to another folder',
  });
});
