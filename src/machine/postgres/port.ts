import { createServer } from 'node:net';

/** Differs from an ordinary PostgreSQL's port (5432), and is fixed so that psql settings stay valid. */
export const DEFAULT_PORT = 54_329;

/** Returns `wanted` if it is free, or a free port of the system's choice. Another process may still take it first. */
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
