import { connect as dial } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Authenticator, connect, type TlsOptions } from '@nats-io/transport-node';
import { settlesWithin } from '../../common/time-limit.ts';
import type { Notice } from './notices.ts';

/** Where notices go in NATS. */
export interface NatsTarget {
  /** nats://host:port, or tls://host:port for encryption. */
  servers: readonly string[];
  /** The one subject of all notices of an installation. */
  subject: string;
  authenticator: Authenticator | null;
  /** Files of certificates; `null` unless the servers are tls://. */
  tls: TlsOptions | null;
}

export interface NatsTiming {
  /** Time from an answered probe to the next probe (ms). */
  probeMs: number;
  /** Time limit of connecting and of each answer (ms). */
  deadlineMs: number;
}

/** A connection to NATS that may publish, and receive if asked to. */
export interface NatsConnection {
  /** Resolves with the reason when the connection ended, was refused something, or did not answer in time. */
  lost: Promise<Error>;
  /** True if the server accepts a notice of this size. */
  fits(notice: Notice): boolean;
  /** Publishes notices and waits until the server has them. @throws Error if that is not certain */
  publish(notices: readonly Notice[]): Promise<void>;
  close(): Promise<void>;
}

const DEFAULT_PORT = 4222;

/**
 * Connects to the first server that answers, and checks that the login may use the subject. Probes the connection,
 * because a dead peer sends nothing. Does not reconnect.
 * @param options.onNotice receives all notices, its own too; `null` receives none
 */
export async function openNatsConnection(
  target: NatsTarget,
  options: NatsTiming & {
    onNotice: ((channel: string, payload: string) => void) | null;
    signal: AbortSignal;
  },
): Promise<NatsConnection> {
  const { probeMs, deadlineMs, onNotice, signal } = options;
  const { subject } = target;
  const server = await answeringServer(target.servers, deadlineMs, signal);
  const client = await connect({
    servers: server,
    name: 'tarsy',
    timeout: deadlineMs,
    reconnect: false,
    ignoreClusterUpdates: true,
    noAsyncTraces: true,
    ...(target.authenticator !== null && { authenticator: target.authenticator }),
    ...(target.tls !== null && { tls: target.tls }),
  });
  let reason: Error | null = null;
  const { promise: lost, resolve } = Promise.withResolvers<Error>();
  const lose = (error: Error): void => {
    reason ??= error;
    resolve(reason);
  };
  void client.closed().then((error) => lose(error instanceof Error ? error : new Error('connection closed')));
  void watchErrors();

  async function watchErrors(): Promise<void> {
    for await (const status of client.status()) if (status.type === 'error') lose(status.error);
  }

  /** Waits until the server has handled what was sent. A refusal precedes the answer, and is read by the next turn. */
  async function confirm(): Promise<void> {
    const answered = await settlesWithin(deadlineMs, client.flush()).catch((error: Error) => error);
    if (answered !== true) lose(answered || new Error(`no answer within ${deadlineMs} ms`));
    await nextTurn();
    if (reason !== null) throw reason;
  }

  if (onNotice !== null) {
    client.subscribe(subject, {
      callback(error, message) {
        if (error) return; // watchErrors gets it too
        const [, channel, payload] = /^(\S+) (.*)$/s.exec(message.string()) ?? [];
        if (channel !== undefined && payload !== undefined) onNotice(channel, payload);
      },
    });
  }
  const close = () => client.close();
  try {
    client.publish(subject); // empty: only shows whether publishing is allowed
    await confirm();
  } catch (error) {
    await close();
    throw error;
  }

  let timer: NodeJS.Timeout;
  function probeLater(): void {
    timer = setTimeout(() => confirm().then(probeLater, () => {}), probeMs).unref();
  }
  probeLater();
  void lost.then(() => clearTimeout(timer));
  return {
    lost,
    fits: (notice) => Buffer.byteLength(encode(notice)) <= (client.info?.max_payload ?? 0),
    async publish(notices) {
      for (const notice of notices) client.publish(subject, encode(notice));
      await confirm();
    },
    close,
  };
}

const encode = ({ channel, payload }: Notice): string => `${channel} ${payload}`;

/**
 * Returns host and port of the first server that greets. Servers that accept connections and say nothing are left out
 * here, because the client would keep their sockets open.
 * @throws Error of the first server if none greets
 */
async function answeringServer(
  servers: readonly string[],
  deadlineMs: number,
  signal: AbortSignal,
): Promise<string> {
  const over = new AbortController();
  const greeting = (url: string) => greetingOf(url, deadlineMs, AbortSignal.any([signal, over.signal]));
  try {
    return await Promise.any(servers.map(greeting));
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    over.abort();
  }
}

function greetingOf(url: string, deadlineMs: number, signal: AbortSignal): Promise<string> {
  const { hostname, port } = new URL(url);
  const server = `${hostname}:${port || DEFAULT_PORT}`;
  return new Promise((resolve, reject) => {
    const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) };
    const socket = dial({ ...address, signal });
    socket.setTimeout(deadlineMs, () => socket.destroy(new Error(`${server} does not answer`)));
    socket.once('data', () => {
      resolve(server);
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`${server} closed the connection`)));
  });
}
