import { createServer } from 'node:net';

/** Out of the way of an ordinary PostgreSQL (5432) and stable, so that psql can be pointed at it again. */
export const DEFAULT_PORT = 54_329;

/** `wanted` when nobody listens on it, else one that the system gives out. Another process may still come first. */
export async function freePort(wanted: number): Promise<number> {
  return (await tryListen(wanted)) ?? (await tryListen(0)) ?? wanted;
}

function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const got = typeof address === 'object' && address ? address.port : port;
      server.close(() => resolve(got));
    });
  });
}
