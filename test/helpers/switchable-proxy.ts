import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A connection to a server that a test can cut or lead to another server. A browser cannot simulate either.
 */
export interface SwitchableProxy {
  /** Address to use in place of the server's. */
  url: string;
  /** Cuts every connection. New connections succeed at once. */
  cut(): void;
  /** Cuts every connection, and refuses new ones until `accept` is called. */
  refuse(): void;
  /**
   * Accepts connections again. With `url`, new connections reach that server and those to the previous server
   * are cut.
   */
  accept(url?: string): void;
  close(): Promise<void>;
}

/** Opens a proxy to the server at `url` (http://host:port). */
export async function openSwitchableProxy(url: string): Promise<SwitchableProxy> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  let open = true;
  const server = createServer((near) => {
    if (!open) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    refuse() {
      open = false;
      cut();
    },
    accept(next) {
      if (next !== undefined) {
        target = new URL(next);
        cut();
      }
      open = true;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
