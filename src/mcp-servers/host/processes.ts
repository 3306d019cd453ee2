import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { maskMessage } from '../../masking/messages.ts';
import { formatBytes, table, truncateLine } from '../tool/output.ts';
import type { ServerTool } from '../tool/tool.ts';
import type { HostConfig } from './config.ts';
import {
  kilobytesToBytes,
  listPids,
  type ProcessStat,
  parseKeyValues,
  parseStat,
  readConcurrently,
  TICKS_PER_SECOND,
  userNames,
} from './proc.ts';

/** Time between two readings (ms). The CPU percentages have a resolution of 2 %. */
const SAMPLE_MS = 500;
const COMMAND_CHARACTERS = 300;

const input = z.strictObject({
  sort: z
    .enum(['cpu', 'memory'])
    .default('cpu')
    .describe('cpu: by CPU use now. memory: by resident memory (RSS).'),
  limit: z.int().min(1).max(100).default(15).describe('How many processes to show.'),
  match: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Only processes whose name or command line contains this text, e.g. postgres.'),
});

export function processesTool(config: HostConfig): ServerTool<typeof input> {
  return {
    name: 'processes',
    title: 'Processes',
    description:
      'Top processes of this host by CPU or memory: pid, user, resident memory (RSS), CPU percent, state, command line (secrets masked); ' +
      'counts of zombie and blocked processes. Use it for alerts about high CPU, high load, memory leak, out of memory (OOM), a process or ' +
      'service that is down, missing, hanging or crash looping.',
    input,
    run: (args, signal) => topProcesses(config, args, signal),
  };
}

interface Row {
  stat: ProcessStat;
  cpuPercent: number;
  rss: number;
  uid: number;
  command: string;
}

async function topProcesses(
  config: HostConfig,
  { sort, limit, match }: z.output<typeof input>,
  signal: AbortSignal,
): Promise<string> {
  const before = await readStats(config.procRoot);
  const start = performance.now();
  await delay(SAMPLE_MS, undefined, { signal });
  const after = await readStats(config.procRoot);
  const seconds = (performance.now() - start) / 1000;
  const earlier = new Map(before.map((stat) => [stat.pid, stat]));
  const rows = await readConcurrently(after, (stat) =>
    readRow(config.procRoot, stat, earlier.get(stat.pid), seconds),
  );
  const needle = match?.toLowerCase();
  const matching = rows.filter(
    (row) =>
      needle === undefined ||
      row.command.toLowerCase().includes(needle) ||
      row.stat.name.toLowerCase().includes(needle),
  );
  matching.sort((a, b) => (sort === 'cpu' ? b.cpuPercent - a.cpuPercent || b.rss - a.rss : b.rss - a.rss));
  const name = await userNames();
  const count = (state: string) => rows.filter((row) => row.stat.state === state).length;
  const summary =
    `${rows.length} processes on ${config.hostname}: ${count('R')} running, ${count('D')} blocked in uninterruptible sleep (D), ` +
    `${count('Z')} zombies (Z), ${count('T')} stopped (T).`;
  if (matching.length === 0) return `${summary}\nNo process matches "${match ?? ''}".`;
  return [
    summary,
    `Top ${Math.min(limit, matching.length)} of ${matching.length}${match ? ` matching "${match}"` : ''} by ${sort}; CPU in percent of one core over ${seconds.toFixed(1)} s:`,
    table(
      ['pid', 'user', 'rss', 'cpu %', 'state', 'command'],
      matching
        .slice(0, limit)
        .map((row) => [
          String(row.stat.pid),
          name(row.uid),
          formatBytes(row.rss),
          `${row.cpuPercent.toFixed(1)}%`,
          row.stat.state,
          truncateLine(row.command, COMMAND_CHARACTERS),
        ]),
    ),
  ].join('\n');
}

async function readStats(procRoot: string): Promise<ProcessStat[]> {
  const pids = await listPids(procRoot);
  return readConcurrently(pids, async (pid) =>
    parseStat(await readFile(join(procRoot, String(pid), 'stat'), 'utf8')),
  );
}

async function readRow(
  procRoot: string,
  stat: ProcessStat,
  earlier: ProcessStat | undefined,
  seconds: number,
): Promise<Row> {
  const status = parseKeyValues(await readFile(join(procRoot, String(stat.pid), 'status'), 'utf8'));
  // A new process used all its CPU time during the sample. Another start time means that the pid was reused.
  const base = earlier?.startTicks === stat.startTicks ? earlier.cpuTicks : 0;
  return {
    stat,
    cpuPercent: ((stat.cpuTicks - base) / TICKS_PER_SECOND / seconds) * 100,
    rss: kilobytesToBytes(status, 'VmRSS') ?? 0,
    uid: Number((status.get('Uid') ?? '').split(/\s+/)[0]),
    command: await readCommand(procRoot, stat.pid, stat.name),
  };
}

/** Returns the command line with secrets masked. A kernel thread has none; its name in brackets is returned instead. */
export async function readCommand(procRoot: string, pid: number, name: string): Promise<string> {
  const text = await readFile(join(procRoot, String(pid), 'cmdline'), 'utf8').catch(() => '');
  const args = text.split('\0');
  while (args.at(-1) === '') args.pop();
  return args.length === 0 ? `[${name}]` : maskCommandLine(args).replaceAll('\n', ' ');
}

/** Returns a process's arguments as one line with secrets masked. @throws if masking fails */
export function maskCommandLine(commandLine: readonly string[]): string {
  // A process that sets its own title has one string with spaces.
  if (commandLine.length === 1) return maskMessage(commandLine[0]!);
  return maskMessage(commandLine.map(shellQuoted).join(' '));
}

/** Quotes an argument with spaces, so that a password with spaces is masked entirely. */
function shellQuoted(argument: string): string {
  if (!/\s/.test(argument)) return argument;
  return argument.includes("'") ? JSON.stringify(argument) : `'${argument}'`;
}
