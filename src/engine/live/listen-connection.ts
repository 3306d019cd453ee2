import { Socket } from 'node:net';
import pg from 'pg';

export interface ListenTiming {
  /** Time from an answered probe to the next probe (ms). */
  probeMs: number;
  /** Time limit of connecting, of a probe and of closing (ms each). */
  deadlineMs: number;
}

export interface ListenConnection {
  /** Resolves with the reason when the connection ended or broke, or did not answer a probe in time. */
  lost: Promise<Error>;
  /** Time of the last answered probe (database clock). All notices from before that time have been received. */
  answeredAt(): Date;
  close(): Promise<void>;
}

/** Opens a listening connection. Probes it, because a dead peer sends nothing. `signal` aborts connecting. */
export async function openListenConnection(
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
