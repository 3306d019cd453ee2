import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;

/**
 * Processes of a program of this name whose working directory is `dir` and that we may look at (our own, or all when root).
 * Zombies have none and are left out. Linux only: elsewhere, and without /proc, the answer is empty.
 */
export function pidsWorkingIn(dir: string, program: string): number[] {
  const real = realpathSync(dir);
  return processIds().filter((pid) => {
    try {
      // The program's name may have " (deleted)" after it: packages were installed anew.
      return (
        readlinkSync(`/proc/${pid}/cwd`) === real &&
        basename(readlinkSync(`/proc/${pid}/exe`)).startsWith(program)
      );
    } catch {
      return false;
    }
  });
}

/**
 * The processes that were started with this variable in their environment, or by one that was and handed it on, by its
 * value. Linux only: elsewhere, and without /proc, there are none.
 */
export async function processesByVariable(name: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, number[]>();
  await Promise.all(
    processIds().map(async (pid) => {
      const environment = `\0${await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')}`;
      const from = environment.indexOf(`\0${name}=`);
      if (from < 0 || !isRunning(pid)) return;
      const value = environment.slice(from + name.length + 2).split('\0', 1)[0] ?? '';
      found.set(value, [...(found.get(value) ?? []), pid]);
    }),
  );
  return found;
}

/**
 * What tells a process from all others of this system, also from a later one with the same id: its namespace, id and
 * start. Null when it is not there, or without /proc.
 */
export function processIdentity(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // After the name, which may hold anything, in brackets: the start is the 20th field.
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const namespace = readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
    return isRunning(pid) ? `${namespace}-${pid}-${start}` : null;
  } catch {
    return null;
  }
}

/** Waits until no process of the program works in `dir`, at most `limitMs`; says whether that came true. */
export async function untilNobodyWorksIn(dir: string, program: string, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (pidsWorkingIn(dir, program).length > 0) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** Whether a process with this id exists, also one that we may not signal. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether it exists and is not merely a zombie that nobody has reaped yet. */
export function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return isAlive(pid); // no /proc on this system, or gone this instant
  }
}

/** Signals a process that may be gone already or belong to somebody else; says whether the signal was sent. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}
