import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { CHANNELS } from './event-log.ts';
import type { NatsCarrier } from './nats-carrier.ts';
import { type BusEvents, decodeNotice } from './notices.ts';

/** Waits between attempts to reconnect (ms). The last value repeats. */
const LISTEN_RETRY_MS = [100, 200, 500, 1000, 2000] as const;

/** Interval and time limit of probes (ms). Short, because live pages get nothing until a dead connection is noticed. */
const LISTEN_TIMING = { probeMs: 5_000, deadlineMs: 5_000 } as const;

export interface Bus extends Pick<EventEmitter<BusEvents>, 'on' | 'off'> {
  /** Reports that an event had no notice for seconds, so that notices of some process may not arrive over NATS. */
  missed(): void;
  close(): Promise<void>;
}

/** Time for which this process asks for NOTIFY after an event without a notice (ms). */
const MISSED_MS = 60_000;

/** Time before the answered probe of PostgreSQL from which notices over NATS may be lost (ms). */
const NATS_LOSS_MS = 5_000;

/** Minimum time between two log entries about invalid notices (ms), because any number may arrive. */
const INVALID_LOG_MS = 60_000;

interface BusOptions extends Partial<ListenTiming> {
  /** Default: all. */
  channels?: readonly string[];
  /** Carries notices too; default: none. */
  carrier?: NatsCarrier | null;
}

/**
 * Opens the bus of this process:
 * 1. listens to PostgreSQL, and reconnects when the connection is lost
 * 2. receives notices over NATS too, if there is a carrier. Notices may then come twice
 * 3. asks all publishers for NOTIFY at each probe while notices do not arrive over NATS, so that no publisher relies on
 *    NATS alone. A process without subscribers does not ask
 *
 * Listeners must read the log from the last event that they know when the way of the notices changes.
 */
export async function openBus(url: string, logger: Logger, options: BusOptions = {}): Promise<Bus> {
  const { carrier = null, channels = Object.values(CHANNELS), ...timing } = options;
  const emitter = new EventEmitter<BusEvents>();
  emitter.setMaxListeners(0); // one listener per feed, so thousands are normal
  const closing = new AbortController();
  const { signal } = closing;
  const hasSubscribers = channels.includes(CHANNELS.event);
  const dispatch = createDispatch(emitter, logger);
  let missedAt = Number.NEGATIVE_INFINITY;
  const needsNotify = () =>
    hasSubscribers &&
    (carrier === null || carrier.problem() !== null || performance.now() - missedAt < MISSED_MS);
  const connect = () =>
    openListenConnection(url, {
      channels,
      ...LISTEN_TIMING,
      ...timing,
      requests: needsNotify,
      onNotification: (channel, payload) =>
        channel === CHANNELS.request ? carrier?.requested() : dispatch(channel, payload),
      signal,
    });
  let listening = await connect();
  carrier?.hearsRequests(true);
  carrier?.start({
    onNotice: hasSubscribers ? dispatch : null,
    onChange() {
      if (needsNotify()) listening.request();
      emitter.emit('reconnected', new Date(listening.answeredAt().getTime() - NATS_LOSS_MS));
    },
  });

  async function keepListening(): Promise<void> {
    for (;;) {
      const reason = await listening.lost;
      if (signal.aborted) return;
      carrier?.hearsRequests(false);
      logger.warn({ reason: reason.message }, 'event connection lost, reconnecting');
      const next = await reconnect();
      if (signal.aborted) return next?.close();
      const since = listening.answeredAt();
      if (next !== null) listening = next;
      carrier?.hearsRequests(true);
      logger.info('event connection restored');
      emitter.emit('reconnected', since);
    }
  }

  /** Connects again after each wait. Returns `null` if the bus is closed first. */
  async function reconnect(): Promise<ListenConnection | null> {
    for (let attempt = 0; ; attempt++) {
      try {
        await delay(LISTEN_RETRY_MS[Math.min(attempt, LISTEN_RETRY_MS.length - 1)], undefined, { signal });
        return await connect();
      } catch (error) {
        if (signal.aborted) return null;
        logger.debug({ err: error }, 'event connection still down');
      }
    }
  }

  const kept = keepListening();
  return {
    on: emitter.on.bind(emitter) as Bus['on'],
    off: emitter.off.bind(emitter) as Bus['off'],
    missed() {
      if (carrier === null || carrier.problem() !== null) return;
      if (!needsNotify()) {
        logger.warn('events had no notice in time, asking for NOTIFY');
        listening.request();
      }
      missedAt = performance.now();
    },
    async close() {
      closing.abort();
      await listening.close();
      await kept;
    },
  };
}

/** Returns the function that decodes a notice and emits it. */
function createDispatch(emitter: EventEmitter<BusEvents>, logger: Logger) {
  let invalidLoggedAt = Number.NEGATIVE_INFINITY;
  return (channel: string, payload: string): void => {
    const notice = decodeNotice(channel, payload);
    if (notice === null) {
      if (performance.now() - invalidLoggedAt < INVALID_LOG_MS) return;
      invalidLoggedAt = performance.now();
      logger.warn({ channel }, 'invalid notice dropped');
      return;
    }
    try {
      emitter.emit(notice.name, ...([notice.value] as never));
    } catch (error) {
      logger.error({ err: error, channel }, 'notice handling failed');
    }
  };
}

export interface ListenTiming {
  /** Time from an answered probe to the next probe (ms). */
  probeMs: number;
  /** Time limit of connecting, of a probe and of closing (ms each). */
  deadlineMs: number;
}

const PROBE = 'select clock_timestamp() as now';
const REQUEST = `pg_notify('${CHANNELS.request}', '')`;

interface ListenConnection {
  /** Resolves with the reason when the connection ended or broke, or did not answer a probe in time. */
  lost: Promise<Error>;
  /** Time of the last answered probe (database clock). All notices from before that time have been received. */
  answeredAt(): Date;
  /** Asks all publishers for NOTIFY. */
  request(): void;
  close(): Promise<void>;
}

/** Opens a listening connection. Probes it, because a dead peer sends nothing. `signal` aborts connecting. */
async function openListenConnection(
  url: string,
  options: ListenTiming & {
    channels: readonly string[];
    /** True if each probe asks all publishers for NOTIFY. */
    requests: () => boolean;
    onNotification: (channel: string, payload: string) => void;
    signal: AbortSignal;
  },
): Promise<ListenConnection> {
  const { probeMs, deadlineMs, signal } = options;
  const socket = new Socket(); // created here to be destroyed if the peer does not answer `end`
  const client = new pg.Client({
    connectionString: url,
    application_name: 'tarsy-listen',
    keepAlive: true,
    connectionTimeoutMillis: deadlineMs,
    query_timeout: deadlineMs,
    stream: () => socket,
  });
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error>();
  client.on('error', lose);
  client.on('end', () => lose(new Error('The connection was ended.')));
  client.on('notification', ({ channel, payload }) => options.onNotification(channel, payload ?? ''));

  let answeredAt: Date;
  async function probe(): Promise<void> {
    const { rows } = await client.query<{ now: Date }>(options.requests() ? `${PROBE}, ${REQUEST}` : PROBE);
    answeredAt = rows[0]!.now;
  }
  const giveUp = (): void => void socket.destroy();
  signal.addEventListener('abort', giveUp);
  try {
    await client.connect();
    // A request for NOTIFY is repeated, so it need not be on disk.
    await client.query(`set synchronous_commit = off; listen ${options.channels.join('; listen ')}`);
    await probe();
  } catch (error) {
    giveUp();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }

  let timer: NodeJS.Timeout;
  function probeLater(): void {
    timer = setTimeout(() => probe().then(probeLater, lose), probeMs).unref();
  }
  probeLater();
  lost.then(() => {
    clearTimeout(timer);
    socket.destroy();
  });
  return {
    lost,
    answeredAt: () => answeredAt,
    request: () => void client.query(`select ${REQUEST}`).catch(lose),
    async close() {
      clearTimeout(timer);
      const bound = setTimeout(giveUp, deadlineMs);
      await client.end();
      clearTimeout(bound);
    },
  };
}
