import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts listening; port 0 picks any free port. Rejects when the address is in use or not available. */
export async function listenOn(server: Server, host: string, port: number) {
  await once(server.listen(port, host), 'listening');
  const { address, family, port: chosen } = server.address() as AddressInfo;
  return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${chosen}`, port: chosen };
}
