import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { listPids, readConcurrently, readProc } from './proc.ts';

const TABLES = ['tcp', 'tcp6', 'udp', 'udp6'] as const;

const TCP_STATES: Readonly<Record<string, string>> = {
  '01': 'ESTABLISHED',
  '02': 'SYN_SENT',
  '03': 'SYN_RECV',
  '04': 'FIN_WAIT1',
  '05': 'FIN_WAIT2',
  '06': 'TIME_WAIT',
  '07': 'CLOSE',
  '08': 'CLOSE_WAIT',
  '09': 'LAST_ACK',
  '0A': 'LISTEN',
  '0B': 'CLOSING',
};

/** Time limit of the search for owners (ms), which reads one link for each open file of the machine. */
const OWNER_SEARCH_MS = 5_000;

export interface Socket {
  table: (typeof TABLES)[number];
  address: string;
  port: number;
  remote: string;
  state: string;
  uid: number;
  inode: string;
}

/** Returns every TCP and UDP socket of this network namespace. @throws ToolFailure NOT_SUPPORTED without procfs */
export async function readSockets(procRoot: string): Promise<Socket[]> {
  const tcp = await readProc(procRoot, 'net/tcp');
  const others = await Promise.all(
    TABLES.slice(1).map((name) => readProc(procRoot, `net/${name}`).catch(() => '')),
  );
  return [tcp, ...others].flatMap((text, index) => parseTable(TABLES[index] ?? 'tcp', text));
}

function parseTable(table: Socket['table'], text: string): Socket[] {
  const sockets: Socket[] = [];
  for (const line of text.split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/);
    const [, local = '', remote = '', state = '', , , , uid = '', , inode = ''] = fields;
    const [address, port] = parseEndpoint(local);
    if (address === '') continue;
    const [remoteAddress, remotePort] = parseEndpoint(remote);
    sockets.push({
      table,
      address,
      port,
      remote: remotePort === 0 ? '-' : `${remoteAddress}:${remotePort}`,
      state: table.startsWith('tcp') ? (TCP_STATES[state] ?? state) : 'UDP',
      uid: Number(uid),
      inode,
    });
  }
  return sockets;
}

function parseEndpoint(text: string): [address: string, port: number] {
  const [hex = '', port = ''] = text.split(':');
  if (hex.length !== 8 && hex.length !== 32) return ['', 0];
  // The kernel prints 32-bit words in its own byte order: little-endian wherever Node runs on Linux.
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).reverse());
  const number = Number.parseInt(port, 16);
  if (bytes.length === 4) return [formatV4(bytes), number];
  // An IPv4 address on an IPv6 socket: ::ffff:a.b.c.d.
  if (bytes.slice(0, 12).join('') === '00000000000000000000FFFF') return [formatV4(bytes.slice(12)), number];
  return [`[${formatV6(bytes)}]`, number];
}

function formatV4(bytes: readonly string[]): string {
  return bytes.map((byte) => Number.parseInt(byte, 16)).join('.');
}

function formatV6(bytes: readonly string[]): string {
  const groups = Array.from({ length: 8 }, (_, index) => `${bytes[index * 2]}${bytes[index * 2 + 1]}`);
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** Returns pids by socket inode; `complete` is false if some processes could not be inspected or time ran out. */
export async function socketOwners(
  procRoot: string,
): Promise<{ pids: Map<string, number>; complete: boolean }> {
  const pids = new Map<string, number>();
  const deadline = performance.now() + OWNER_SEARCH_MS;
  let complete = true;
  await readConcurrently(await listPids(procRoot), async (pid) => {
    if (performance.now() > deadline) {
      complete = false;
      return null;
    }
    const folder = join(procRoot, String(pid), 'fd');
    const names = await readdir(folder).catch(() => {
      complete = false;
      return [];
    });
    for (const name of names) {
      const inode = /^socket:\[(\d+)\]$/.exec(await readlink(join(folder, name)).catch(() => ''))?.[1];
      if (inode !== undefined) pids.set(inode, pid);
    }
    return null;
  });
  return { pids, complete };
}
