import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Time (ms) between polls; each poll reads one small file. */
const POLL_MS = 250;
const SHELLS = new Set(['sh', 'dash', 'bash', 'ash', 'ksh', 'zsh', 'busybox']);

/** Returns the process id of the npm that started this process, directly or through a shell; undefined without npm. */
export function findNpm(env: NodeJS.ProcessEnv = process.env): number | undefined {
  if (env.npm_lifecycle_event === undefined) return undefined;
  const parent = readParent(process.ppid);
  return parent && SHELLS.has(parent.name) ? parent.ppid : process.ppid;
}

/**
 * Calls `onGone` once the npm that started this process is gone. Does nothing if npm did not start it. An operator who
 * kills npm believes that TARSy stopped too, while this process would still use its port and data.
 * @returns a function that ends the watch
 */
export function watchParent(onGone: () => void, env: NodeJS.ProcessEnv = process.env): () => void {
  const npm = findNpm(env);
  if (npm === undefined) return () => {};
  const timer = setInterval(() => {
    if (findNpm(env) === npm) return;
    clearInterval(timer);
    onGone();
  }, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function readParent(pid: number): { name: string; ppid: number } | undefined {
  try {
    // Format: "pid (name) state ppid …". The name may contain closing parentheses.
    const [, name = '', ppid] =
      /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { name: basename(name), ppid: Number(ppid) };
  } catch {
    return undefined; // no /proc on this system
  }
}
