import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Logger } from 'pino';
import { LISTEN_PROBE_MS, LISTEN_RETRY_MS } from '../tunables.ts';
import { CHANNELS } from './log.ts';

/** A persisted event was appended; the log has its payload. */
export interface EventNotice {
  sessionId: string;
  seq: number;
  type: string;
}

/** A piece of streaming text; `saved` is the length of the text that the database holds already. */
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
  /** The connection was lost and is back: notices in between are lost, the log has all. */
  reconnected: [];
}

export type Bus = Pick<EventEmitter<BusEvents>, 'on' | 'off'> & { close(): Promise<void> };

/**
 * What other connections of this database tell: one LISTEN connection a process. It reconnects by itself;
 * whoever listens then reads the log from the last event it knows.
 */
export async function openBus(url: string, logger: Logger): Promise<Bus> {
  const emitter = new EventEmitter<BusEvents>();
  emitter.setMaxListeners(0); // one listener a feed, thousands are right
  let client: pg.Client | null = null;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, application_name: 'tarsy-listen', keepAlive: true });
    next.on('error', (error) => lost(next, error));
    next.on('end', () => lost(next, null));
    next.on('notification', ({ channel, payload }) => dispatch(emitter, channel, payload ?? '', logger));
    await next.connect();
    await next.query(`listen ${Object.values(CHANNELS).join('; listen ')}`);
    if (closed) return void (await next.end());
    client = next;
  }

  function lost(which: pg.Client, error: Error | null): void {
    if (closed || which !== client) return;
    client = null;
    logger.warn({ reason: error?.message ?? 'ended' }, 'event connection lost, reconnecting');
    which.end().catch(() => {}); // already broken: nothing more to know
    reconnect(0);
  }

  function reconnect(attempt: number): void {
    const wait = LISTEN_RETRY_MS[Math.min(attempt, LISTEN_RETRY_MS.length - 1)];
    retry = setTimeout(async () => {
      try {
        await connect();
        if (closed) return;
        logger.info('event connection is back');
        emitter.emit('reconnected');
      } catch (error) {
        logger.debug({ err: error }, 'event connection still down');
        if (!closed) reconnect(attempt + 1);
      }
    }, wait);
  }

  const probe = setInterval(() => {
    const probed = client;
    probed?.query('select 1').catch((error: Error) => lost(probed, error));
  }, LISTEN_PROBE_MS);
  probe.unref();

  await connect();
  return {
    on: emitter.on.bind(emitter) as Bus['on'],
    off: emitter.off.bind(emitter) as Bus['off'],
    async close() {
      closed = true;
      clearInterval(probe);
      clearTimeout(retry);
      await client?.end();
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
    }
  } catch (error) {
    logger.error({ err: error, channel }, 'notice could not be handled');
  }
}

/** Short keys: a payload has 8000 bytes. */
export function encodeChunk(chunk: ChunkNotice): string {
  const { sessionId, timelineEventId, offset, delta, saved } = chunk;
  return JSON.stringify({ s: sessionId, t: timelineEventId, o: offset, d: delta, c: saved });
}

function decodeChunk(payload: string): ChunkNotice {
  const { s, t, o, d, c } = JSON.parse(payload) as { s: string; t: string; o: number; d: string; c: number };
  return { sessionId: s, timelineEventId: t, offset: o, delta: d, saved: c };
}
