import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

const POLL_MS = 25;

/** Returns the ids of processes of `program` whose working directory is `dir`, without zombies; empty without /proc. */
export function pidsWorkingIn(dir: string, program: string): number[] {
  const real = realpathSync(dir);
  return processIds().filter((pid) => {
    try {
      // Linux appends " (deleted)" to the name if the program's package was reinstalled.
      return (
        readlinkSync(`/proc/${pid}/cwd`) === real &&
        basename(readlinkSync(`/proc/${pid}/exe`)).startsWith(program)
      );
    } catch {
      return false;
    }
  });
}

/** Number of processes read before other work may run; reading one takes about 6 µs. */
const READ_AT_ONCE = 200;

/**
 * Returns the process ids for each value that an environment variable had at their start; empty without /proc. Reads
 * without `node:fs/promises`, which needs eight times the processor time for such small files.
 */
export async function processesByVariable(name: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, number[]>();
  for (const [n, pid] of processIds().entries()) {
    if (n % READ_AT_ONCE === READ_AT_ONCE - 1) await turn();
    const environment = readEnvironment(pid);
    const from = environment.indexOf(`\0${name}=`);
    if (from < 0 || !isRunning(pid)) continue;
    const start = from + name.length + 2;
    const end = environment.indexOf('\0', start);
    const value = environment.toString('latin1', start, end < 0 ? undefined : end);
    found.set(value, [...(found.get(value) ?? []), pid]);
  }
  return found;
}

let buffer = Buffer.alloc(64 * 1024); // longer environments are rare

/** Returns the environment of a process, with a NUL before each variable. Valid until the next call. */
function readEnvironment(pid: number): Buffer {
  let length = 1;
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/environ`, 'r');
    for (let read = -1; read !== 0; length += read) {
      if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(buffer.length)]);
      read = readSync(file, buffer, length, buffer.length - length, null);
    }
  } catch {
    // the process has ended, or belongs to another account
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return buffer.subarray(0, length);
}

/** Returns an identity that no later process shares; `null` if there is no /proc or no such process. */
export function processIdentity(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The start time is the 20th field after the name. The name is in parentheses and may contain any character.
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const namespace = readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
    return isRunning(pid) ? `${namespace}-${pid}-${start}` : null;
  } catch {
    return null;
  }
}

/** Waits until no process of `program` has the working directory `dir`. Returns false after `limitMs`. */
export async function untilNoneWorksIn(dir: string, program: string, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (pidsWorkingIn(dir, program).length > 0) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** True if a process with this id exists, even one that this account may not signal. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return isAlive(pid); // no /proc, or the process just ended
  }
}

/** Sends a signal; returns false if the process has ended or belongs to another account. */
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
