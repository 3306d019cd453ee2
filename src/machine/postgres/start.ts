import type { Running } from '../supervise.ts';
import { freePort } from './port.ts';
import { isPortTaken, type ServerOptions, startServer } from './server.ts';

/** Each failed attempt means that another process took the port between the check and the server's bind. */
const MAX_PORT_ATTEMPTS = 5;

/**
 * Starts a server on `port`, or on a free one if that is taken (0 = any).
 * @throws EmbeddedPostgresError START_FAILED
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
