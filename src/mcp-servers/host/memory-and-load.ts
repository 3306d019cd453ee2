import { readFile } from 'node:fs/promises';
import { availableParallelism, freemem, loadavg, totalmem, uptime } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { formatBytes, formatDuration, table } from '../tool/output.ts';
import type { ServerTool } from '../tool/tool.ts';
import type { HostConfig } from './config.ts';
import { kilobytesToBytes, parseKeyValues, readProc } from './proc.ts';

/** Time between two readings of the CPU counters (ms), long enough for a difference of tens of ticks. */
const CPU_SAMPLE_MS = 500;

const input = z.strictObject({});

export function memoryAndLoadTool(config: HostConfig): ServerTool<typeof input> {
  return {
    name: 'memory_and_load',
    title: 'Memory, CPU and load',
    description:
      'Memory, swap, CPU and load of this host: total, available and used memory (RAM), swap, load averages, CPU count, CPU busy and iowait percent, ' +
      'pressure stall information (PSI), OOM kills since boot, uptime. Use it for alerts about high memory usage, out of memory (OOM), ' +
      'swapping, high CPU, high load average, a slow or rebooted host.',
    input,
    async run(_, signal) {
      const [memory, cpu, pressure, oomKills] = await Promise.all([
        memoryLines(config.procRoot),
        cpuLine(config.procRoot, signal),
        pressureLines(config.procRoot),
        oomKillLine(config.procRoot),
      ]);
      const cpus = availableParallelism();
      const load = loadavg();
      return [
        `Memory and load of ${config.hostname} (up ${formatDuration(uptime())}):`,
        ...memory,
        `Load average: ${load.map((value) => value.toFixed(2)).join(', ')} (1, 5, 15 min) on ${cpus} CPUs; ` +
          `per CPU over 1 min: ${((load[0] ?? 0) / cpus).toFixed(2)}`,
        ...cpu,
        ...oomKills,
        ...pressure,
      ].join('\n');
    },
  };
}

async function memoryLines(procRoot: string): Promise<string[]> {
  const values = await readProc(procRoot, 'meminfo').then(parseKeyValues, () => null);
  if (values === null) {
    const total = totalmem();
    return [
      `Memory: total ${formatBytes(total)}, free ${formatBytes(freemem())}`,
      `Available memory and swap are not known: they need ${procRoot}/meminfo (Linux).`,
    ];
  }
  const total = kilobytesToBytes(values, 'MemTotal') ?? totalmem();
  const available = kilobytesToBytes(values, 'MemAvailable') ?? freemem();
  const row = (name: string, size: number, free: number) => [
    name,
    formatBytes(size),
    formatBytes(size - free),
    formatBytes(free),
    size > 0 ? `${(((size - free) / size) * 100).toFixed(1)}%` : '-',
  ];
  const swap = kilobytesToBytes(values, 'SwapTotal') ?? 0;
  const rows = [
    row('memory', total, available),
    row('swap', swap, kilobytesToBytes(values, 'SwapFree') ?? 0),
  ];
  const parts = ['Buffers', 'Cached', 'Shmem', 'Slab', 'Dirty', 'Committed_AS']
    .map((key) => ({ key, bytes: kilobytesToBytes(values, key) }))
    .filter(({ bytes }) => bytes !== null)
    .map(({ key, bytes }) => `${key} ${formatBytes(bytes ?? 0)}`);
  return [table(['', 'total', 'used', 'available', 'used %'], rows), `Details: ${parts.join(', ')}`];
}

/** Returns a line with the busy share of all CPUs during a short sample; no line without the counters. */
async function cpuLine(procRoot: string, signal: AbortSignal): Promise<string[]> {
  const read = async () => {
    const line = (await readProc(procRoot, 'stat')).split('\n')[0] ?? '';
    // Reads eight columns, because the later guest times are already part of user time.
    const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
    return { total: ticks.reduce((a, b) => a + b, 0), idle: ticks[3] ?? 0, wait: ticks[4] ?? 0 };
  };
  try {
    const before = await read();
    await delay(CPU_SAMPLE_MS, undefined, { signal });
    const after = await read();
    const total = after.total - before.total;
    if (total <= 0) return [];
    const wait = after.wait - before.wait;
    const busy = total - (after.idle - before.idle) - wait;
    const share = (ticks: number) => `${((ticks / total) * 100).toFixed(1)}%`;
    return [
      `CPU over the last ${CPU_SAMPLE_MS / 1000} s: busy ${share(busy)}, waiting for I/O ${share(wait)}`,
    ];
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

async function oomKillLine(procRoot: string): Promise<string[]> {
  const text = await readProc(procRoot, 'vmstat').catch(() => '');
  const count = /^oom_kill (\d+)$/m.exec(text)?.[1];
  return count === undefined ? [] : [`OOM kills since boot: ${count}`];
}

async function pressureLines(procRoot: string): Promise<string[]> {
  const lines = await Promise.all(
    ['cpu', 'memory', 'io'].map(async (kind) => {
      const text = await readFile(`${procRoot}/pressure/${kind}`, 'utf8').catch(() => '');
      return text
        .split('\n')
        .map((line) => /^(some|full) avg10=([\d.]+) avg60=([\d.]+) avg300=([\d.]+)/.exec(line))
        .filter((match) => match !== null)
        .map(([, share, ten, sixty, long]) => [kind, share ?? '', `${ten}%`, `${sixty}%`, `${long}%`]);
    }),
  );
  const rows = lines.flat();
  if (rows.length === 0) return [];
  return [
    'Pressure (share of time tasks were stalled):',
    table(['resource', 'tasks', '10 s', '60 s', '300 s'], rows),
  ];
}
