import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { COMPILE_CACHE } from './compile-cache.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../scripts/tarsy.mjs');

export interface StartOptions {
  /** Data home, which also identifies the processes of this start. */
  home: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Shell command that runs before, such as a limit. */
  before?: string;
  /** Runs as the account `nobody`. Works for root only. */
  asNobody?: boolean;
}

export interface StartedCommand {
  child: ChildProcess;
  /** Everything printed so far. */
  said(): string;
  /** Resolves when a line matches. */
  line(pattern: RegExp): Promise<void>;
  /** Exit code, or the signal that ended the process. */
  ended: Promise<number | NodeJS.Signals>;
}

/** Runs the program as an operator does, with an environment of its own. */
export function startCommand(options: StartOptions): StartedCommand {
  const { home, args = ['start'], env = {}, before = ':', asNobody = false } = options;
  const command = [process.execPath, LAUNCHER, ...args];
  const child = spawn('/bin/sh', ['-c', `${before}; exec "$@"`, 'sh', ...command], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      TARSY_HOME: home,
      HTTP_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...(asNobody && { uid: 65_534, gid: 65_534 }),
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      for (const check of waiting) check();
    });
  return {
    child,
    said: () => lines.join('\n'),
    line: (pattern) =>
      new Promise((found) => {
        const check = () => {
          if (lines.some((line) => pattern.test(line))) found();
        };
        waiting.add(check);
        check();
      }),
    ended: once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals),
  };
}

/** Returns the command lines of processes that name the data home in their arguments or environment. */
export function processesOf(home: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const [command, environment] = ['cmdline', 'environ'].map((file) => readProc(pid, file));
      return `${command}\n${environment}`.includes(home) ? [command!.replaceAll('\0', ' ')] : [];
    });
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // ended meanwhile
  }
}
