import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can break: what a browser's network does, which it cannot be told to do itself. */
export interface Line {
  /** Use this in place of the server's own. */
  url: string;
  /** Cuts every connection; new ones are made at once. */
  cut(): void;
  /** Cuts every connection, and each new one, until `accept`. */
  refuse(): void;
  accept(): void;
  close(): Promise<void>;
}

/** Opens a line to the server at `url` (http://host:port). */
export async function openLine(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let open = true;
  const server = createServer((near) => {
    if (!open) return void near.destroy();
    const far = connect(Number(port), hostname);
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
    accept() {
      open = true;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
