import { Socket } from 'node:net';
import pg from 'pg';

/** How soon a connection that listens notices that nobody is there any more. */
export interface ListenTiming {
  /** Milliseconds from one answered probe to the next. */
  probeMs: number;
  /** Milliseconds that connecting, a probe, and saying good-bye may take each. */
  deadlineMs: number;
}

/** One connection that listens, until it is lost. */
export interface ListenConnection {
  /** Resolves with the reason when the connection is gone: ended, broken, or a probe not answered in time. */
  lost: Promise<Error>;
  /** When a probe was last answered, by the database's clock: what was announced before then has been heard. */
  answeredAt(): Date;
  close(): Promise<void>;
}

/**
 * Connects and listens. It is probed, because a dead peer sends nothing; whatever is not answered in time counts as
 * lost, because on a half-open connection it would be waited for without end.
 * @param options.signal gives up connecting
 */
export async function openListenConnection(
  url: string,
  options: ListenTiming & {
    channels: readonly string[];
    onNotification: (channel: string, payload: string) => void;
    signal: AbortSignal;
  },
): Promise<ListenConnection> {
  const { probeMs, deadlineMs, signal } = options;
  const socket = new Socket(); // ours, to be destroyed: the client's own end waits for the peer
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
