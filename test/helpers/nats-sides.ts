import { pino } from 'pino';
import { expect } from 'vitest';
import { uuidv7 } from '../../src/common/uuidv7.ts';
import type { NatsConfig } from '../../src/config/types.ts';
import { openBus } from '../../src/engine/live/bus.ts';
import { CHANNELS } from '../../src/engine/live/event-log.ts';
import { createNatsCarrier, type NatsCarrier } from '../../src/engine/live/nats-carrier.ts';
import { natsTarget } from '../../src/engine/live/nats-target.ts';
import { encodeChunk, type Notice } from '../../src/engine/live/notices.ts';
import { openPublisher } from '../../src/engine/live/publisher.ts';

/** Time for which tests wait, and the interval of their looks (ms). */
export const LONG = { timeout: 30_000, interval: 10 };
/** Times (ms) that notice silence and repeat requests soon, but leave room for a busy machine. */
const TIMING = { probeMs: 100, deadlineMs: 1_000, requestLifetimeMs: 2_000 };
export const SESSION = uuidv7();
export const TEXT = uuidv7();

/** A process with subscribers: its bus, publisher and carrier. */
export interface Side {
  carrier: NatsCarrier;
  /** Numbers of the pieces that reached the subscribers. */
  heard: number[];
  log: string[];
  bus: Awaited<ReturnType<typeof openBus>>;
  publish(...notices: Notice[]): Promise<void>;
}

const CONFIG: NatsConfig = {
  servers: [],
  subjectPrefix: 'tarsy',
  username: null,
  passwordEnv: null,
  tokenEnv: null,
  nkeyEnv: null,
  credentialsEnv: null,
  tls: null,
};

interface SideOptions {
  config?: Partial<NatsConfig>;
  env?: Record<string, string>;
  /** Identity of the database in the subject; default `one`. */
  database?: string;
}

/** Opens a side on a server of NATS. @param releasers gets what closes it */
export async function openSide(
  urls: { nats: string; database: string },
  releasers: (() => Promise<unknown>)[],
  options: SideOptions = {},
): Promise<Side> {
  const log: string[] = [];
  const heard: number[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line).msg) });
  const config = { ...CONFIG, servers: [urls.nats], ...options.config };
  const target = natsTarget(config, options.env ?? {}, options.database ?? 'one');
  const carrier = createNatsCarrier({ target, logger, timing: TIMING });
  const bus = await openBus(urls.database, logger, { carrier, probeMs: 200, deadlineMs: 5_000 });
  bus.on('chunk', ({ offset }) => void heard.push(offset));
  const publisher = openPublisher(urls.database, logger, { carrier });
  releasers.push(
    () => carrier.close(),
    () => bus.close(),
    () => publisher.close(),
  );
  return { carrier, heard, log, bus, publish: (...notices) => publisher.publish(notices) };
}

/** Returns the notice of a piece of text. @param offset its number */
export const chunk = (offset: number, delta = 'x'): Notice => ({
  channel: CHANNELS.chunk,
  payload: encodeChunk({ sessionId: SESSION, timelineEventId: TEXT, offset, delta, saved: 0 }),
});
export const isUp = ({ carrier }: Side) => expect.poll(() => carrier.problem(), LONG).toBeNull();
export const isDown = ({ carrier }: Side) => expect.poll(() => carrier.problem(), LONG).not.toBeNull();
