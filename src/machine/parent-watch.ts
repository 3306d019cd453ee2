import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** How soon a lost npm is noticed; the look itself reads one small file. */
const POLL_MS = 250;
const SHELLS = new Set(['sh', 'dash', 'bash', 'ash', 'ksh', 'zsh', 'busybox']);

/** Whether an npm script started us. */
function startedByNpm(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.npm_lifecycle_event !== undefined;
}

/**
 * The npm that started us (`npm start`), directly or through the shell it runs scripts with; undefined when something else
 * did, for a bare process may well be meant to outlive its starter (nohup).
 */
export function findNpm(env: NodeJS.ProcessEnv = process.env): number | undefined {
  if (!startedByNpm(env)) return undefined;
  const parent = readParent(process.ppid);
  return parent && SHELLS.has(parent.name) ? parent.ppid : process.ppid;
}

/**
 * Calls `onGone` once when the npm that started us is gone. Killed, it leaves us behind, and with us port and data, while
 * whoever killed it believes that TARSy stopped.
 * Does nothing when npm did not start us.
 * @returns a function that ends the watch.
 */
export function watchParent(onGone: () => void, env: NodeJS.ProcessEnv = process.env): () => void {
  const npm = findNpm(env);
  if (npm === undefined) return () => {};
  const timer = setInterval(() => {
    // Whoever loses its parent gets another one at once.
    if (findNpm(env) === npm) return;
    clearInterval(timer);
    onGone();
  }, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function readParent(pid: number): { name: string; ppid: number } | undefined {
  try {
    // pid (name) state ppid …; the name may hold anything, closing parentheses too.
    const [, name = '', ppid] =
      /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { name: basename(name), ppid: Number(ppid) };
  } catch {
    return undefined; // no /proc on this system
  }
}
