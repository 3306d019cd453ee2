import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runBounded } from '../../common/run-bounded.ts';
import { systemCode, ToolFailure } from '../tool/failure.ts';

/** Clock ticks per second in procfs (USER_HZ): 100 on every architecture that Node supports. */
export const TICKS_PER_SECOND = 100;

/** Maximum number of concurrent reads: enough to hide latency, few enough to keep the thread pool usable. */
const READ_CONCURRENCY = 32;

export interface ProcessStat {
  pid: number;
  name: string;
  state: string;
  parent: number;
  /** User and system time since the process started (ticks). */
  cpuTicks: number;
  threads: number;
  startTicks: number;
}

/** Reads a file of procfs. @throws ToolFailure NOT_SUPPORTED if there is no such file, otherwise NOT_PERMITTED */
export async function readProc(procRoot: string, name: string): Promise<string> {
  try {
    return await readFile(join(procRoot, name), 'utf8');
  } catch (error) {
    throw procFailure(error, join(procRoot, name));
  }
}

/** Returns the process ids of this machine, ascending. @throws ToolFailure NOT_SUPPORTED without procfs */
export async function listPids(procRoot: string): Promise<number[]> {
  let names: string[];
  try {
    names = await readdir(procRoot);
  } catch (error) {
    throw procFailure(error, procRoot);
  }
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  if (pids.length === 0) throw procFailure({ code: 'ENOENT' }, `${procRoot}/<pid>`);
  return pids.sort((a, b) => a - b);
}

function procFailure(error: unknown, path: string): ToolFailure {
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ToolFailure(
      'NOT_SUPPORTED',
      `This needs ${path}, which Linux has and this system (${process.platform}) does not show.`,
    );
  }
  return new ToolFailure('NOT_PERMITTED', `${path} cannot be read (${code ?? 'unknown error'}).`);
}

/** Parses /proc/<pid>/stat; `null` if malformed. The name is in parentheses and may contain spaces and parentheses. */
export function parseStat(text: string): ProcessStat | null {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return null;
  const rest = text.slice(close + 2).split(' ');
  const number = (index: number) => Number(rest[index] ?? Number.NaN);
  return {
    pid: Number(text.slice(0, open).trim()),
    name: text.slice(open + 1, close),
    state: rest[0] ?? '?',
    parent: number(1),
    cpuTicks: number(11) + number(12),
    threads: number(17),
    startTicks: number(19),
  };
}

export function parseKeyValues(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) values.set(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return values;
}

/** Returns the bytes of a `123 kB` value; `null` if it is missing. */
export function kilobytesToBytes(values: ReadonlyMap<string, string>, key: string): number | null {
  const value = /^(\d+) kB$/.exec(values.get(key) ?? '')?.[1];
  return value === undefined ? null : Number(value) * 1024;
}

/** Runs `read` for the items with bounded concurrency and drops failed items and `null` results. */
export async function readConcurrently<T, R>(
  items: readonly T[],
  read: (item: T) => Promise<R | null>,
): Promise<R[]> {
  const results = await runBounded(items, READ_CONCURRENCY, (item) => read(item).catch(() => null));
  return results.filter((result) => result !== null);
}

/** Returns a lookup of user names by id from /etc/passwd; an unknown id stays a number. */
export async function userNames(): Promise<(uid: number) => string> {
  const names = new Map<number, string>();
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  for (const line of text.split('\n')) {
    const [name, , uid] = line.split(':');
    if (name && uid) names.set(Number(uid), name);
  }
  return (uid) => names.get(uid) ?? String(uid);
}
