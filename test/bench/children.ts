import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** @param url of the program, from `import.meta.resolve` */
export function forkBench(url: string, env: Record<string, string> = {}): ChildProcess {
  return fork(fileURLToPath(url), {
    env: { ...process.env, ...env },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
}

/** Resolves with the next message of a child process that has this key. */
export async function nextMessage<T>(child: ChildProcess, key: string): Promise<T> {
  for (;;) {
    const [message] = (await once(child, 'message')) as [Record<string, unknown>];
    if ('lost' in message) throw new Error(`a subscriber was closed with ${String(message.lost)}`);
    if (key in message) return message[key] as T;
  }
}

/** The lease of a real product. A short one is renewed and checked more often, which takes processor time. */
export const DEFAULT_LEASE = { heartbeat_interval: '10s', lease_duration: '30s' };

const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** Returns the CPU time of a process including its threads (s). */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Returns the resident memory of a process (bytes). */
export async function residentMemory(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1]) * PAGE_BYTES;
}
