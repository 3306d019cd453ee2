import { realpath, stat, statfs } from 'node:fs/promises';
import { z } from 'zod';
import { errorMessage } from '../../common/error-message.ts';
import { settlesWithin } from '../../common/time-limit.ts';
import { fileFailure, ToolFailure } from '../tool/failure.ts';
import { formatBytes, table } from '../tool/output.ts';
import type { ServerTool } from '../tool/tool.ts';
import type { HostConfig } from './config.ts';
import { readProc } from './proc.ts';

/** Timeout of one statfs call (ms), because a network mount without its server blocks forever. */
const STATFS_TIMEOUT_MS = 2_000;

interface Mount {
  path: string;
  device: string;
  type: string;
  /** True for a network file system, whose calls may block. */
  network: boolean;
}

/** File systems that cannot fill up: views of the kernel and read-only images. */
const PSEUDO_TYPES = new Set(
  (
    'autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fuse.gvfsd-fuse fuse.lxcfs fusectl ' +
    'hugetlbfs mqueue nsfs proc pstore ramfs rpc_pipefs securityfs selinuxfs squashfs sysfs tracefs'
  ).split(' '),
);

const NETWORK_TYPES =
  /^(?:nfs\d?|cifs|smb\d?|smbfs|ceph|glusterfs|9p|afs|fuse\.(?:sshfs|s3fs|glusterfs|rclone))$/;

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

export function diskUsageTool(config: HostConfig): ServerTool<typeof input> {
  return {
    name: 'disk_usage',
    title: 'Disk usage',
    description:
      'Disk space of this host: every mounted filesystem (mount point, device, type) with size, used, available (free) space, ' +
      'used percent and inodes used percent. Use it for alerts about disk full, low disk space, no space left on device, ' +
      'filesystem or volume or partition usage above a threshold, inode exhaustion.',
    input,
    run: ({ path }) => (path === undefined ? allFilesystems(config) : oneFilesystem(config, path)),
  };
}

async function allFilesystems(config: HostConfig): Promise<string> {
  let mounts: Mount[];
  try {
    mounts = await readMounts(config.procRoot);
  } catch (error) {
    const root = await oneFilesystem(config, '/');
    return `${root}\nOther filesystems are not known, give a path to see one: ${errorMessage(error)}`;
  }
  const seen = new Set<number>();
  const rows: { mount: Mount; usage: Usage }[] = [];
  const silent: string[] = [];
  // Measures network mounts last and stops when one hangs, because each hanging call blocks a thread of the pool.
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

/** Measures a file system. `null` if it has no size, is unreadable or its device was measured before. */
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
  // Picks the longest mount path that contains `real`. If several mounts share it, the last one hides the others.
  const unknown: Mount = { path: '/', device: '(unknown)', type: '(unknown)', network: false };
  const mount = mounts
    .filter(inside)
    .reduce((best, next) => (next.path.length >= best.path.length ? next : best), unknown);
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
  return (await settlesWithin(STATFS_TIMEOUT_MS, work)) ? work : 'timeout';
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

/** Decodes the octal escapes that the kernel uses for space, tab, newline and backslash. */
function unescapeField(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** Returns the mounts in mount order; `all` includes pseudo file systems. @throws ToolFailure without procfs */
async function readMounts(procRoot: string, which: 'storage' | 'all' = 'storage'): Promise<Mount[]> {
  const text = await readProc(procRoot, 'self/mounts');
  const mounts: Mount[] = [];
  for (const line of text.split('\n')) {
    const [device = '', path = '', type = ''] = line.split(' ').map(unescapeField);
    if (path === '' || (which === 'storage' && PSEUDO_TYPES.has(type))) continue;
    mounts.push({ path, device, type, network: NETWORK_TYPES.test(type) });
  }
  return mounts;
}
