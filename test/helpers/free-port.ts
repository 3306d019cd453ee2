import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports that Linux gives neither to connections nor to servers that listen on any port. */
const PORTS = [11_000, 32_000] as const;

/**
 * Returns a free port, for servers that must be told a port, or that stop and listen on it again. Nothing else on the
 * machine takes such a port meanwhile, except a server that asks for exactly this one.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
