import { once } from 'node:events';
import type { Server } from 'node:net';

/** Listens on a loopback port, a free one by default, and returns it. */
export async function listenOn(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
