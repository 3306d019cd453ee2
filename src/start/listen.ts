import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';

/** A server of this process, as the variables `<NAME>_HOST` and `<NAME>_PORT` place it. */
export interface Listener {
  name: 'HTTP' | 'METRICS';
  host: string;
  /** 0 = any free port. */
  port: number;
}

/** A server cannot listen where the environment wants it. */
class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code = 'CANNOT_LISTEN';
}

/** Listens at every address for a moment, all at the same time. @throws ListenError for the first that cannot be used */
export async function checkListeners(listeners: readonly Listener[]): Promise<void> {
  const open: Server[] = [];
  try {
    for (const listener of listeners) open.push(await listenAt(listener));
  } finally {
    await Promise.all(open.map((server) => once(server.close(), 'close')));
  }
}

async function listenAt(listener: Listener): Promise<Server> {
  const server = createServer();
  try {
    await once(server.listen(listener.port, listener.host), 'listening');
    return server;
  } catch (error) {
    throw new ListenError(listenProblem(listener, (error as NodeJS.ErrnoException).code), { cause: error });
  }
}

const NO_ADDRESS = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL', 'EAFNOSUPPORT']);

/** Returns what is wrong and which variable corrects it. @param code the system's error code */
export function listenProblem({ name, host, port }: Listener, code: string | undefined): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken. Stop what uses it, or set ${name}_PORT to another one.`;
  if (code === 'EACCES' || code === 'EPERM')
    return `This user may not listen on port ${port}. Set ${name}_PORT to 1024 or a higher number.`;
  if (code !== undefined && NO_ADDRESS.has(code))
    return `${host} is not an address of this machine. Set ${name}_HOST to one of ${ownAddresses().join(', ')}.`;
  return `Cannot listen on ${host}:${port} (${code}). Set ${name}_HOST and ${name}_PORT to an address and a free port of this machine.`;
}

function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const usable = all.map(({ address }) => address).filter((address) => !address.startsWith('fe80:'));
  return [...new Set(['127.0.0.1', '0.0.0.0', ...usable])];
}
