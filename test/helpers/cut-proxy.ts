import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be cut, such as a network that goes away, and lead to another server. */
export interface CutProxy {
  url: string;
  /** Breaks every connection and takes no more. */
  cut(): void;
  /** Leads on again; `url` = to another server from now on. */
  restore(url?: string): void;
  close(): void;
}

export async function startCutProxy(upstream: string): Promise<CutProxy> {
  const open = new Set<Socket>();
  let target = new URL(upstream);
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, far],
      [far, client],
    ] as const) {
      open.add(socket);
      socket.pipe(other);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const destroyAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      destroyAll();
    },
    restore(url) {
      if (url !== undefined) {
        target = new URL(url);
        destroyAll();
      }
      isCut = false;
    },
    close() {
      server.close();
      destroyAll();
    },
  };
}
