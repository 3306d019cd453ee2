import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { CHANNELS } from './event-log.ts';

/** Waits between attempts to reconnect (ms). The last value repeats. */
const LISTEN_RETRY_MS = [100, 200, 500, 1000, 2000] as const;

/** Interval and time limit of probes (ms). Short, because live pages get nothing until a dead connection is noticed. */
const LISTEN_TIMING = { probeMs: 5_000, deadlineMs: 5_000 } as const;

export interface EventNotice {
  sessionId: string;
  seq: number;
  type: string;
}

/**
 * A piece of streaming text. `offset`: start of the piece in the text; `saved`: length of the text that is
 * stored in the database (both in UTF-16 code units).
 */
export interface ChunkNotice {
  sessionId: string;
  timelineEventId: string;
  offset: number;
  delta: string;
  saved: number;
}

interface BusEvents {
  event: [EventNotice];
  chunk: [ChunkNotice];
  cancel: [sessionId: string];
  conclude: [sessionId: string];
  /** The connection is restored. Notices after `since` (database clock, accurate to a few seconds) may be lost. */
  reconnected: [since: Date];
}

export type Bus = Pick<EventEmitter<BusEvents>, 'on' | 'off'> & { close(): Promise<void> };

/**
 * Opens the LISTEN connection of this process, by default to all channels. Reconnects when the connection is lost.
 * Listeners must then read the log from the last event that they know.
 */
export async function openBus(
  url: string,
  logger: Logger,
  options: Partial<ListenTiming> & { channels?: readonly string[] } = {},
): Promise<Bus> {
  const emitter = new EventEmitter<BusEvents>();
  emitter.setMaxListeners(0); // one listener per feed, so thousands are normal
  const closing = new AbortController();
  const { signal } = closing;
  const connect = () =>
    openListenConnection(url, {
      channels: Object.values(CHANNELS),
      ...LISTEN_TIMING,
      ...options,
      onNotification: (channel, payload) => dispatch(emitter, channel, payload, logger),
      signal,
    });
  let listening = await connect();

  async function keepListening(): Promise<void> {
    for (;;) {
      const reason = await listening.lost;
      if (signal.aborted) return;
      logger.warn({ reason: reason.message }, 'event connection lost, reconnecting');
      const next = await reconnect();
      if (signal.aborted) return next?.close();
      const since = listening.answeredAt();
      if (next !== null) listening = next;
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
    async close() {
      closing.abort();
      await listening.close();
      await kept;
    },
  };
}

function dispatch(emitter: EventEmitter<BusEvents>, channel: string, payload: string, logger: Logger): void {
  try {
    if (channel === CHANNELS.event) {
      const [sessionId = '', seq = '', type = ''] = payload.split(':');
      emitter.emit('event', { sessionId, seq: Number(seq), type });
    } else if (channel === CHANNELS.chunk) {
      emitter.emit('chunk', decodeChunk(payload));
    } else if (channel === CHANNELS.cancel) {
      emitter.emit('cancel', payload);
    } else if (channel === CHANNELS.conclude) {
      emitter.emit('conclude', payload);
    }
  } catch (error) {
    logger.error({ err: error, channel }, 'notice handling failed');
  }
}

/** Encodes a notice as JSON with short keys, because a payload must stay below 8000 bytes. */
export function encodeChunk(chunk: ChunkNotice): string {
  const { sessionId, timelineEventId, offset, delta, saved } = chunk;
  return JSON.stringify({ s: sessionId, t: timelineEventId, o: offset, d: delta, c: saved });
}

function decodeChunk(payload: string): ChunkNotice {
  const { s, t, o, d, c } = JSON.parse(payload) as { s: string; t: string; o: number; d: string; c: number };
  return { sessionId: s, timelineEventId: t, offset: o, delta: d, saved: c };
}

export interface ListenTiming {
  /** Time from an answered probe to the next probe (ms). */
  probeMs: number;
  /** Time limit of connecting, of a probe and of closing (ms each). */
  deadlineMs: number;
}

interface ListenConnection {
  /** Resolves with the reason when the connection ended or broke, or did not answer a probe in time. */
  lost: Promise<Error>;
  /** Time of the last answered probe (database clock). All notices from before that time have been received. */
  answeredAt(): Date;
  close(): Promise<void>;
}

/** Opens a listening connection. Probes it, because a dead peer sends nothing. `signal` aborts connecting. */
async function openListenConnection(
  url: string,
  options: ListenTiming & {
    channels: readonly string[];
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
    const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
    answeredAt = rows[0]!.now;
  }
  const giveUp = (): void => void socket.destroy();
  signal.addEventListener('abort', giveUp);
  try {
    await client.connect();
    await client.query(`listen ${options.channels.join('; listen ')}`);
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
    async close() {
      clearTimeout(timer);
      const bound = setTimeout(giveUp, deadlineMs);
      await client.end();
      clearTimeout(bound);
    },
  };
}
