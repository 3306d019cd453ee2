import { realpath, stat, statfs } from 'node:fs/promises';
import { z } from 'zod';
import type { HostConfig } from './config.ts';
import { fileFailure, ToolFailure } from './failure.ts';
import { type Mount, readMounts } from './mounts.ts';
import { formatBytes, table } from './output.ts';
import type { HostTool } from './tool.ts';

/** Timeout of one statfs call, because a network mount without its server blocks forever. */
const STATFS_TIMEOUT_MS = 2_000;

interface Usage {
  size: number;
  used: number;
  available: number;
  /** Used share of the space available to unprivileged users, as in df (%); `null` if the file system has no size. */
  usedPercent: number | null;
  inodesUsedPercent: number | null;
}

const input = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('A file or directory: only the filesystem it lies on is shown. Without it: all filesystems.'),
});

export function diskUsageTool(config: HostConfig): HostTool<typeof input> {
  return {
    name: 'disk_usage',
    title: 'Disk usage',
    description:
      'Disk space of this host: every mounted filesystem (mount point, device, type) with size, used, available (free) space, ' +
      'used percent and inodes used percent. Use it for alerts about disk full, low disk space, no space left on device, ' +
      'filesystem or volume or partition usage above a threshold, inode exhaustion.',
    input,
    openWorld: false,
    keep: 'head',
    run: ({ path }) => (path === undefined ? allFilesystems(config) : oneFilesystem(config, path)),
  };
}

async function allFilesystems(config: HostConfig): Promise<string> {
  let mounts: Mount[];
  try {
    mounts = await readMounts(config.procRoot);
  } catch (error) {
    const root = await oneFilesystem(config, '/');
    return `${root}\nOther filesystems are not known, give a path to see one: ${error instanceof Error ? error.message : ''}`;
  }
  const seen = new Set<number>();
  const rows: { mount: Mount; usage: Usage }[] = [];
  const silent: string[] = [];
  // Network mounts come last and stop at the first that hangs, because each hanging call blocks a thread of the pool.
  for (const mount of mounts.toSorted((a, b) => Number(a.network) - Number(b.network))) {
    if (mount.network && silent.length > 0) {
      silent.push(mount.path);
      continue;
    }
    const found = await withTimeout(measure(mount.path, seen));
    if (found === 'timeout') silent.push(mount.path);
    else if (found !== null) rows.push({ mount, usage: found });
  }
  if (rows.length === 0) throw new ToolFailure('FAILED', 'No mounted filesystem could be measured.');
  return [
    `Filesystems of ${config.hostname}:`,
    render(rows),
    fullest(rows),
    ...(silent.length > 0 ? [`No answer (stale network mount?): ${silent.join(', ')}`] : []),
  ].join('\n');
}

/** Returns `null` for a file system without size, an unreadable one, and a device already seen. */
async function measure(path: string, seen: Set<number>): Promise<Usage | null> {
  try {
    const device = (await stat(path)).dev;
    if (seen.has(device)) return null;
    const usage = await usageOf(path);
    if (usage.size === 0) return null;
    seen.add(device);
    return usage;
  } catch {
    return null;
  }
}

async function oneFilesystem(config: HostConfig, path: string): Promise<string> {
  if (!path.startsWith('/')) throw new ToolFailure('BAD_INPUT', 'path must be absolute.');
  let real: string;
  let usage: Usage | 'timeout';
  try {
    real = await realpath(path);
    usage = await withTimeout(usageOf(real));
  } catch (error) {
    throw fileFailure(error, `"${path}"`);
  }
  if (usage === 'timeout') throw new ToolFailure('FAILED', `The filesystem of "${path}" does not answer.`);
  const mounts = await readMounts(config.procRoot, 'all').catch(() => []);
  const inside = (mount: Mount) =>
    mount.path === '/' || real === mount.path || real.startsWith(`${mount.path}/`);
  // The mount with the longest prefix contains the path; the last of several mounts at one point hides the others.
  const mount = mounts
    .filter(inside)
    .reduce<Mount>((best, next) => (next.path.length >= best.path.length ? next : best), {
      path: '/',
      device: '(unknown)',
      type: '(unknown)',
      network: false,
    });
  return `Filesystem that holds ${real} on ${config.hostname}:\n${render([{ mount, usage }])}`;
}

async function usageOf(path: string): Promise<Usage> {
  const fs = await statfs(path);
  const used = (fs.blocks - fs.bfree) * fs.bsize;
  const available = fs.bavail * fs.bsize;
  return {
    size: fs.blocks * fs.bsize,
    used,
    available,
    usedPercent: used + available > 0 ? Math.ceil((used / (used + available)) * 100) : null,
    inodesUsedPercent: fs.files > 0 ? Math.ceil(((fs.files - fs.ffree) / fs.files) * 100) : null,
  };
}

async function withTimeout<T>(work: Promise<T>): Promise<T | 'timeout'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(resolve, STATFS_TIMEOUT_MS, 'timeout');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const percent = (value: number | null) => (value === null ? '-' : `${value}%`);

function render(rows: readonly { mount: Mount; usage: Usage }[]): string {
  return table(
    ['mounted on', 'device', 'type', 'size', 'used', 'available', 'used %', 'inodes used %'],
    rows.map(({ mount, usage }) => [
      mount.path,
      mount.device,
      mount.type,
      formatBytes(usage.size),
      formatBytes(usage.used),
      formatBytes(usage.available),
      percent(usage.usedPercent),
      percent(usage.inodesUsedPercent),
    ]),
  );
}

function fullest(rows: readonly { mount: Mount; usage: Usage }[]): string {
  const top = rows.reduce((a, b) => ((b.usage.usedPercent ?? 0) > (a.usage.usedPercent ?? 0) ? b : a));
  return `Fullest: ${top.mount.path} with ${percent(top.usage.usedPercent)} used, ${formatBytes(top.usage.available)} available.`;
}
