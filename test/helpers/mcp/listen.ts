import { once } from 'node:events';
import type { Server } from 'node:net';
import { freePort } from '../free-port.ts';

/** Listens on a loopback port, a free one by default, and returns it. */
export async function listenOn(server: Server, port?: number): Promise<number> {
  server.listen(port ?? (await freePort()), '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
