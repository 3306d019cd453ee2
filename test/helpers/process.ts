import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { NODE_ENVIRONMENT, nodeOptions } from '../../scripts/lib/node-options.mjs';
import { COMPILE_CACHE } from './compile-cache.ts';
import { databaseVariables } from './database-modes.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

/** `tarsy api` or `tarsy worker`, running as its own operating-system process. */
export interface TarsyProcess {
  child: ChildProcess;
  /** The API's address. `null` for a worker. */
  url: string | null;
  /** Every logged line so far. */
  log: readonly string[];
  /** Sends the signal and waits until the process has exited. */
  end(signal: NodeJS.Signals): Promise<void>;
}

// Kills the processes of an interrupted test. SIGTERM is handled too, because Vitest ends a test process with
// it, and without a handler 'exit' does not fire.
const running = new Set<ChildProcess>();
process.once('SIGTERM', () => process.exit());
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a process and waits until it reports that it is ready. @param program default: that of a real start */
export async function startProcess(
  role: 'api' | 'worker' | 'all',
  env: Record<string, string>,
  program: string = MAIN,
): Promise<TarsyProcess> {
  const child = spawn(process.execPath, [...nodeOptions(), program, role], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'test',
      LOG_FORMAT: 'json',
      HTTP_PORT: '0',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...NODE_ENVIRONMENT,
      ...databaseVariables(env.DATABASE_URL),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  running.add(child);
  child.once('exit', () => running.delete(child));
  const log: string[] = [];
  const url = await untilReady(child, log);
  return {
    child,
    url,
    log,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      child.kill('SIGCONT'); // a frozen process handles a signal only after SIGCONT
      await exited;
    },
  };
}

function untilReady(child: ChildProcess, log: string[]): Promise<string | null> {
  return new Promise((resolve, reject) => {
    // Not 'exit', which may come before the last lines.
    child.on('close', () => reject(new Error(`ended before it was ready:\n${log.slice(0, 100).join('\n')}`)));
    createInterface({ input: child.stderr! }).on('line', (line) => {
      log.push(line);
      if (!line.includes('"TARSy is ready"')) return;
      resolve((JSON.parse(line) as { url: string | null }).url);
    });
  });
}
