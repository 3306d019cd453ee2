import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens; port 0 = any free one. Rejects when the address cannot be had. */
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
