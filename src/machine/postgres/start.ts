import { createServer } from 'node:net';
import type { Running } from '../supervise.ts';
import { isPortTaken, type ServerOptions, startServer } from './server.ts';

/** Maximum attempts. One fails if another process takes the port between the check and the start of the server. */
const MAX_PORT_ATTEMPTS = 5;

/**
 * Starts a server on `port` (0 = any free port). If that port is taken, uses a free one.
 * @throws MachineError START_FAILED
 */
export async function startOnFreePort(
  options: Omit<ServerOptions, 'port'>,
  port: number,
  signal: AbortSignal,
): Promise<Running<{ url: string; port: number }>> {
  for (let attempt = 1; ; attempt += 1) {
    const chosen = await freePort(attempt === 1 ? port : 0);
    try {
      const running = await startServer({ ...options, port: chosen }, signal);
      return { ...running, value: { ...running.value, port: chosen } };
    } catch (error) {
      if (attempt >= MAX_PORT_ATTEMPTS || signal.aborted || !isPortTaken(options.log)) throw error;
    }
  }
}

/** Returns `wanted` if that port is free, else a free port. */
async function freePort(wanted: number): Promise<number> {
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
