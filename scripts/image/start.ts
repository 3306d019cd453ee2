import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { BuiltImage } from './build.ts';

/** An uid as platforms give them out that know nothing of the image; its group is 0. */
const ARBITRARY_UID = 1_000_660_000;

/** Turns the process into what a restricted container gets: read-only root, empty /tmp, unknown uid, no capabilities. */
const CONFINE = [
  'mount -o remount,ro,bind /',
  'mount -t tmpfs -o mode=1777 tmpfs /tmp',
  `exec setpriv --reuid=${ARBITRARY_UID} --regid=0 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"`,
].join(' && ');

/** Whether processes can be confined here: that needs root, which unprivileged users have not. */
export function canConfine(): boolean {
  const tried = spawnSync('unshare', ['--mount', 'sh', '-c', CONFINE, 'sh', 'true'], { stdio: 'ignore' });
  return tried.status === 0;
}

export interface StartOptions {
  confined: boolean;
  args?: readonly string[];
  env: Record<string, string>;
  /** Folder of the programs that stand for the base image's. */
  programs: string;
  /** Called with each line that it writes. */
  onLine?: (line: string) => void;
}

export interface StartedImage {
  child: ChildProcess;
  /** Resolves with the first line that matches; rejects when the process ends before. */
  said(pattern: RegExp): Promise<string>;
  /** SIGTERM, then waits. @returns the exit code and the milliseconds it took */
  stop(): Promise<{ code: number | null; ms: number }>;
}

/** Starts an image's command as a container runtime would, without what belongs to a container (tini, its network). */
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
  // After the last line, which 'exit' is not.
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

/** Runs an image's health check in its surroundings. @returns whether it says healthy */
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
