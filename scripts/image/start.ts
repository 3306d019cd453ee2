import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { BuiltImage } from './build.ts';

/** A user id such as OpenShift assigns instead of the image's user; its group is 0. */
const ARBITRARY_UID = 1_000_660_000;

/** Shell command that confines a process like a container: read-only root, empty /tmp, unknown uid, no capabilities. */
const CONFINE = [
  'mount -o remount,ro,bind /',
  'mount -t tmpfs -o mode=1777 tmpfs /tmp',
  `exec setpriv --reuid=${ARBITRARY_UID} --regid=0 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"`,
].join(' && ');

/** Returns true if this process may confine other processes, which requires root. */
export function canConfine(): boolean {
  const tried = spawnSync('unshare', ['--mount', 'sh', '-c', CONFINE, 'sh', 'true'], { stdio: 'ignore' });
  return tried.status === 0;
}

export interface StartOptions {
  confined: boolean;
  args?: readonly string[];
  env: Record<string, string>;
  /** Folder with the base image's programs. */
  programs: string;
  /** Receives each line of output. */
  onLine?: (line: string) => void;
}

export interface StartedImage {
  child: ChildProcess;
  /** Resolves with the first matching line; rejects if the process ends before. */
  said(pattern: RegExp): Promise<string>;
  /** Sends SIGTERM and waits. @returns the exit code and the duration (ms) */
  stop(): Promise<{ code: number | null; ms: number }>;
}

/** Starts an image's command as a container runtime would, but without tini and without its own network. */
export function startImage(image: BuiltImage, options: StartOptions): StartedImage {
  const command = [...withoutInit(image.entrypoint), ...(options.args ?? image.cmd)];
  const [program, ...args] = options.confined
    ? ['unshare', '--mount', 'sh', '-c', CONFINE, 'sh', ...command]
    : command;
  const child = spawn(program!, args, {
    cwd: image.app,
    env: environmentOf(image, options),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Waits for 'close', because 'exit' may come before the last output lines.
  const exited = once(child, 'close');
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream! }).on('line', (line) => {
      lines.push(line);
      options.onLine?.(line);
      for (const look of waiting) look();
    });
  }
  return {
    child,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const line = lines.find((each) => pattern.test(each));
          if (line === undefined) return;
          waiting.delete(look);
          resolve(line);
        };
        waiting.add(look);
        look();
        void exited.then(() => reject(new Error(`ended before it was ready:\n${lines.join('\n')}`)));
      }),
    async stop() {
      const from = Date.now();
      child.kill('SIGTERM');
      await exited;
      return { code: child.exitCode, ms: Date.now() - from };
    },
  };
}

/** Runs an image's health check in the environment of its command. @returns true if it reports healthy */
export function isHealthy(image: BuiltImage, options: StartOptions): boolean {
  const [program, ...args] = image.healthcheck;
  const env = environmentOf(image, options);
  return spawnSync(program!, args, { cwd: image.app, env, stdio: 'ignore' }).status === 0;
}

function environmentOf(image: BuiltImage, options: StartOptions): Record<string, string> {
  const base = `${options.programs}:/usr/bin:/bin`;
  return { PATH: base, ...expandPath(image.env, base), ...options.env };
}

function expandPath(env: Record<string, string>, base: string): Record<string, string> {
  return env.PATH === undefined ? env : { ...env, PATH: env.PATH.replace('$PATH', base) };
}

function withoutInit(entrypoint: readonly string[]): string[] {
  return entrypoint[0] === 'tini' ? entrypoint.slice(2) : [...entrypoint];
}
