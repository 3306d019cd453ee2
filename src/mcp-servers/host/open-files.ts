import { readdir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileFailure } from '../tool/failure.ts';
import { formatBytes, table } from '../tool/output.ts';
import type { ServerTool } from '../tool/tool.ts';
import type { HostConfig } from './config.ts';
import { listPids, readConcurrently } from './proc.ts';
import { pidInput } from './process-details.ts';
import { readSockets, type Socket } from './sockets.ts';

const MAX_ROWS = 200;

interface OpenFile {
  fd: number;
  kind: 'file' | 'deleted file' | 'directory' | 'device' | 'socket' | 'pipe' | 'other';
  bytes: number;
  target: string;
}

export function openFilesTool(config: HostConfig): ServerTool<typeof pidInput> {
  return {
    name: 'open_files',
    title: 'Open files of a process',
    description:
      'Open files, sockets and pipes of one process by pid (like lsof), largest first, with deleted files that still hold disk space, and counts by kind. ' +
      'Use it for too many open files, file descriptor leak, a log file that keeps growing, or disk space not freed after deleting files.',
    input: pidInput,
    run: ({ pid }) => openFiles(config.procRoot, pid),
  };
}

async function openFiles(procRoot: string, pid: number): Promise<string> {
  await listPids(procRoot);
  const folder = join(procRoot, String(pid), 'fd');
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    throw fileFailure(error, `The list of open files of process ${pid}`);
  }
  const sockets = new Map(
    (await readSockets(procRoot).catch(() => [])).map((socket) => [socket.inode, socket]),
  );
  const files = await readConcurrently(names, (name) => describe(join(folder, name), Number(name), sockets));
  files.sort((a, b) => b.bytes - a.bytes || a.fd - b.fd);
  const counts = Map.groupBy(files, (file) => file.kind);
  const deleted = (counts.get('deleted file') ?? []).reduce((sum, file) => sum + file.bytes, 0);
  return [
    `Process ${pid} has ${names.length} files open: ${[...counts].map(([kind, list]) => `${list.length} ${kind}`).join(', ') || 'kinds unknown'}.`,
    ...(files.length < names.length
      ? [`${names.length - files.length} of them may not be looked at by the user this server runs as.`]
      : []),
    `Disk space held by deleted files: ${formatBytes(deleted)}.`,
    table(
      ['fd', 'kind', 'size', 'target'],
      files.map(({ fd, kind, bytes, target }) => [
        String(fd),
        kind,
        bytes > 0 ? formatBytes(bytes) : '-',
        target,
      ]),
      MAX_ROWS,
    ),
  ].join('\n');
}

async function describe(link: string, fd: number, sockets: ReadonlyMap<string, Socket>): Promise<OpenFile> {
  const target = await readlink(link);
  const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
  if (inode !== undefined)
    return { fd, kind: 'socket', bytes: 0, target: describeSocket(target, sockets.get(inode)) };
  if (target.startsWith('pipe:')) return { fd, kind: 'pipe', bytes: 0, target };
  if (!target.startsWith('/')) return { fd, kind: 'other', bytes: 0, target };
  // `stat` follows the link in procfs, which works even if the file is deleted.
  const stats = await stat(link);
  if (stats.isDirectory()) return { fd, kind: 'directory', bytes: 0, target };
  if (!stats.isFile()) return { fd, kind: 'device', bytes: 0, target };
  return { fd, kind: stats.nlink === 0 ? 'deleted file' : 'file', bytes: stats.size, target };
}

function describeSocket(target: string, socket: Socket | undefined): string {
  if (socket === undefined) return `${target} (unix or other)`;
  const remote = socket.remote === '-' ? '' : ` -> ${socket.remote}`;
  return `${socket.table} ${socket.address}:${socket.port}${remote} ${socket.state}`;
}
