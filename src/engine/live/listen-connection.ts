import { Socket } from 'node:net';
import pg from 'pg';

export interface ListenTiming {
  /** The time from one answered probe to the next (ms). */
  probeMs: number;
  /** The time limit of connecting, of a probe and of closing (ms each). */
  deadlineMs: number;
}

export interface ListenConnection {
  /** Resolves with the reason when the connection ended or broke, or did not answer a probe in time. */
  lost: Promise<Error>;
  /** The time of the last answered probe, by the database's clock. All earlier notices have been received. */
  answeredAt(): Date;
  close(): Promise<void>;
}

/** Connects and listens. The connection is probed because a dead peer sends nothing. `signal` aborts connecting. */
export async function openListenConnection(
  url: string,
  options: ListenTiming & {
    channels: readonly string[];
    onNotification: (channel: string, payload: string) => void;
    signal: AbortSignal;
  },
): Promise<ListenConnection> {
  const { probeMs, deadlineMs, signal } = options;
  const socket = new Socket(); // created here so that it can be destroyed; the client's `end` waits for the peer
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
