import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPTS = fileURLToPath(new URL('..', import.meta.url));
/** The program that the launcher starts: prints its arguments and environment, then ends as the arguments say. */
const MAIN = `
process.on('SIGTERM', () => process.exit(7));
process.on('SIGINT', () => { console.log('SIGINT'); });
const [kind, code] = process.argv.slice(2);
console.log(JSON.stringify({ args: process.argv.slice(2), node: process.version, options: process.execArgv,
  cache: process.env.NODE_COMPILE_CACHE, arenas: process.env.MALLOC_ARENA_MAX, pid: process.pid }));
if (kind === 'exit') process.exit(Number(code));
if (kind === 'killed') process.kill(process.pid, 'SIGKILL');
setInterval(() => {}, 1000);
`;
/** Simulates a Node without execve. */
const WITHOUT_EXECVE = 'data:text/javascript,delete process.execve';

let root: string;
let children: ChildProcess[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tarsy-launcher-'));
  children = [];
  cpSync(SCRIPTS, join(root, 'scripts'), { recursive: true });
  mkdirSync(join(root, 'src'));
  mkdirSync(join(root, 'node_modules'));
  writeFileSync(join(root, 'src', 'main.ts'), MAIN);
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

async function launch(args: string[], nodeArgs: string[] = []) {
  const child = spawn(process.execPath, [...nodeArgs, join(root, 'scripts', 'tarsy.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: undefined, TARSY_HOME: join(root, 'home') },
    detached: true,
  });
  children.push(child);
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const said = JSON.parse((await lines.next()).value as string) as Record<string, unknown>;
  return { child, ended, said, lines };
}

describe.each([
  ['replacing itself', []],
  ['with a child', ['--import', WITHOUT_EXECVE]],
])('the launcher, %s', (way, nodeArgs) => {
  it('passes arguments on and sets heap, memory and compile cache', async () => {
    const { said, ended, child } = await launch(['exit', '5', '--x'], nodeArgs);
    expect(said).toMatchObject({
      args: ['exit', '5', '--x'],
      cache: join(root, 'home', 'cache'),
      arenas: '2',
    });
    expect(said.options).toContain('--max-old-space-size=2048');
    expect(said.options).toContain('--max-semi-space-size=8');
    expect(said.pid === child.pid).toBe(way === 'replacing itself');
    expect(await ended).toEqual([5, null]);
  });

  it('ends with the signal that ended the program', async () => {
    const { ended } = await launch(['killed'], nodeArgs);
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('passes signals on', async () => {
    const { child, ended, lines } = await launch(['wait'], nodeArgs);
    child.kill('SIGINT');
    expect((await lines.next()).value).toBe('SIGINT');
    child.kill('SIGTERM');
    expect(await ended).toEqual([7, null]);
  });
});

it('reports missing packages in one line', () => {
  rmSync(join(root, 'node_modules'), { recursive: true });
  expect(complaint()).toBe('The packages are not installed: run npm ci\n');
});

it('reports an outdated Node in one line', () => {
  const older = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.1.0"})';
  expect(complaint(['--import', older])).toMatch(/^TARSy needs Node 24 or newer and this is 20\.1\.0: .+\n$/);
});

function complaint(nodeArgs: string[] = []): string {
  try {
    execFileSync(process.execPath, [...nodeArgs, join(root, 'scripts', 'tarsy.mjs'), 'start'], {
      stdio: 'pipe',
    });
    return '';
  } catch (error) {
    expect((error as { status: number }).status).toBe(1);
    return (error as { stderr: Buffer }).stderr.toString();
  }
}
