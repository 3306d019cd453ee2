import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts listening; port 0 picks any free port. Rejects when the address is in use or not available. */
export function listenOn(server: Server, host: string, port: number): Promise<{ url: string; port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const { address, family, port: chosen } = server.address() as AddressInfo;
      resolve({ url: `http://${family === 'IPv6' ? `[${address}]` : address}:${chosen}`, port: chosen });
    });
  });
}
