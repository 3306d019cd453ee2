import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { fileFailure } from '../tool/failure.ts';
import { formatBytes, formatDuration, table, truncateLine } from '../tool/output.ts';
import type { ServerTool } from '../tool/tool.ts';
import type { HostConfig } from './config.ts';
import {
  kilobytesToBytes,
  listPids,
  type ProcessStat,
  parseKeyValues,
  parseStat,
  readProc,
  TICKS_PER_SECOND,
  userNames,
} from './proc.ts';
import { readCommand } from './processes.ts';

const COMMAND_CHARACTERS = 2000;

export const pidInput = z.strictObject({
  pid: z
    .int()
    .min(1)
    .max(4_194_304)
    .describe('Process id, as the processes or listening_ports tool shows it.'),
});

export function processDetailsTool(config: HostConfig): ServerTool<typeof pidInput> {
  return {
    name: 'process_details',
    title: 'Process details',
    description:
      'Details of one process by pid: state, parent, user, start time, threads, memory (RSS, peak, swap), CPU time, disk I/O, open file count and limit, ' +
      'OOM score, command line (secrets masked). Use it after processes or listening_ports showed a suspicious pid: memory leak, high CPU, ' +
      'too many open files, hanging process.',
    input: pidInput,
    run: ({ pid }) => details(config.procRoot, pid),
  };
}

async function details(procRoot: string, pid: number): Promise<string> {
  await listPids(procRoot);
  const folder = join(procRoot, String(pid));
  const optional = (name: string) => readFile(join(folder, name), 'utf8').catch(() => '');
  let status: Map<string, string>;
  let stat: ProcessStat | null;
  try {
    status = parseKeyValues(await readFile(join(folder, 'status'), 'utf8'));
    stat = parseStat(await readFile(join(folder, 'stat'), 'utf8'));
  } catch (error) {
    throw fileFailure(error, `Process ${pid}`);
  }
  const [io, limits, oomScore, cgroup] = await Promise.all(
    ['io', 'limits', 'oom_score', 'cgroup'].map(optional),
  );
  const openFiles = await readdir(join(folder, 'fd')).then(
    (names) => String(names.length),
    () => 'not permitted to see',
  );
  const name = await userNames();
  const ioValues = parseKeyValues(io ?? '');
  const size = (key: string) => {
    const bytes = kilobytesToBytes(status, key);
    return bytes === null ? '-' : formatBytes(bytes);
  };
  const limit = /^Max open files\s+(\S+)/m.exec(limits ?? '')?.[1] ?? 'unknown';
  const rows = [
    ['name', status.get('Name') ?? '-'],
    ['state', status.get('State') ?? '-'],
    ['parent', await describeParent(procRoot, stat?.parent ?? 0)],
    ['user', name(Number((status.get('Uid') ?? '').split(/\s+/)[0]))],
    ['started', await describeStart(procRoot, stat)],
    ['CPU time', stat === null ? '-' : `${(stat.cpuTicks / TICKS_PER_SECOND).toFixed(1)} s`],
    ['threads', status.get('Threads') ?? '-'],
    [
      'memory',
      `resident ${size('VmRSS')}, peak ${size('VmHWM')}, swapped ${size('VmSwap')}, virtual ${size('VmSize')}`,
    ],
    ['open files', `${openFiles} (limit ${limit})`],
    ['disk I/O', describeIo(ioValues)],
    ['OOM score', (oomScore ?? '').trim() || '-'],
    ['cgroup', (cgroup ?? '').trim().split('\n').at(-1) || '-'],
    ['directory', await readlink(join(folder, 'cwd')).catch(() => 'not permitted to see')],
    ['command', truncateLine(await readCommand(procRoot, pid, stat?.name ?? '?'), COMMAND_CHARACTERS)],
  ];
  return table([`process ${pid}`, ''], rows);
}

function describeIo(values: ReadonlyMap<string, string>): string {
  const read = values.get('read_bytes');
  const written = values.get('write_bytes');
  if (read === undefined || written === undefined) return 'not permitted to see';
  return `read ${formatBytes(Number(read))}, written ${formatBytes(Number(written))} since start`;
}

async function describeParent(procRoot: string, parent: number): Promise<string> {
  const text = await readFile(join(procRoot, String(parent), 'stat'), 'utf8').catch(() => '');
  return `${parent} ${parseStat(text)?.name ?? ''}`.trim();
}

async function describeStart(procRoot: string, stat: ProcessStat | null): Promise<string> {
  const boot = /^btime (\d+)$/m.exec(await readProc(procRoot, 'stat').catch(() => ''))?.[1];
  if (stat === null || boot === undefined) return '-';
  const started = (Number(boot) + stat.startTicks / TICKS_PER_SECOND) * 1000;
  return `${new Date(started).toISOString().slice(0, 19)}Z (${formatDuration((Date.now() - started) / 1000)} ago)`;
}
