import { NATS_SERVER, startNatsServer } from './nats-server.ts';

/** True if TARSy's processes carry their live events over NATS. */
const isOverNats = Boolean(process.env.TEST_NATS);

/** Variable with the address of the test run's NATS. Test processes inherit it. */
const ADDRESS = 'TEST_NATS_ADDRESS';

/**
 * Timing of an application in a test process. A request for NOTIFY counts for a second (ms), so that NATS alone carries the
 * events even of a short test.
 */
export const NATS_TIMING = { requestLifetimeMs: 1_000 };

/** Starts the NATS server of the test run if its mode asks for one. @throws Error without nats-server */
export async function openNats(): Promise<{ stop(): Promise<void> }> {
  if (!isOverNats) return { stop: async () => {} };
  if (NATS_SERVER === null) throw new Error('TEST_NATS needs nats-server, which .ci/run unpacks');
  const server = await startNatsServer();
  process.env[ADDRESS] = server.url;
  return server;
}

/** Returns the section `events` that the mode of the test run asks for; empty without the mode. */
export function natsSection(): Record<string, unknown> {
  const address = process.env[ADDRESS];
  return address === undefined ? {} : { events: { bus: 'nats', nats: { servers: [address] } } };
}
