import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { table, truncateLine } from '../tool/output.ts';
import type { ServerTool } from '../tool/tool.ts';
import type { HostConfig } from './config.ts';
import { parseStat, userNames } from './proc.ts';
import { readCommand } from './processes.ts';
import { readSockets, type Socket, socketOwners } from './sockets.ts';

const MAX_ROWS = 200;
const COMMAND_CHARACTERS = 100;

const input = z.strictObject({
  port: z
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('Only this port: tells whether anything listens on it.'),
});

export function listeningPortsTool(config: HostConfig): ServerTool<typeof input> {
  return {
    name: 'listening_ports',
    title: 'Listening ports',
    description:
      'Listening TCP and UDP ports of this host with address, port, owning process and user. Use it for alerts about a service down, ' +
      'connection refused, port not reachable or closed, endpoint or health check failing, port already in use.',
    input,
    async run({ port }) {
      const all = await readSockets(config.procRoot);
      const open = all.filter((socket) => isOpen(socket) && (port === undefined || socket.port === port));
      if (open.length === 0) {
        return port === undefined
          ? `Nothing listens on ${config.hostname}.`
          : `Nothing listens on TCP or UDP port ${port} of ${config.hostname}: connections to it are refused.`;
      }
      return render(config, open, all, port);
    },
  };
}

function isOpen(socket: Socket): boolean {
  return socket.state === 'LISTEN' || (socket.state === 'UDP' && socket.remote === '-');
}

async function render(
  config: HostConfig,
  open: Socket[],
  all: readonly Socket[],
  port: number | undefined,
): Promise<string> {
  const owners = await socketOwners(config.procRoot);
  const user = await userNames();
  open.sort((a, b) => a.table.slice(0, 3).localeCompare(b.table.slice(0, 3)) || a.port - b.port);
  const rows = await Promise.all(
    open.slice(0, MAX_ROWS).map(async (socket) => {
      const pid = owners.pids.get(socket.inode);
      const owner = pid === undefined ? '(not visible)' : `${pid} ${await processName(config.procRoot, pid)}`;
      return [socket.table, socket.address, String(socket.port), user(socket.uid), owner];
    }),
  );
  const ports = new Set(open.filter((socket) => socket.state === 'LISTEN').map((socket) => socket.port));
  const established = all.filter((socket) => socket.state === 'ESTABLISHED' && ports.has(socket.port)).length;
  return [
    `Listening ports of ${config.hostname}${port === undefined ? '' : ` (port ${port})`}: ${open.length}; established connections to them: ${established}`,
    table(['protocol', 'address', 'port', 'user', 'pid and command'], rows),
    ...(open.length > MAX_ROWS ? [`[${open.length - MAX_ROWS} more not shown]`] : []),
    ...(owners.complete ? [] : ['Owners of some sockets are not visible to the user this server runs as.']),
  ].join('\n');
}

/** Returns the command line instead of the kernel's process name, which many runtimes set to a thread's name. */
async function processName(procRoot: string, pid: number): Promise<string> {
  const text = await readFile(join(procRoot, String(pid), 'stat'), 'utf8').catch(() => '');
  return truncateLine(await readCommand(procRoot, pid, parseStat(text)?.name ?? '?'), COMMAND_CHARACTERS);
}
