import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { createRoutes } from '../outgoing/agents.ts';
import { authorization, hintForCode, type Server } from './api.ts';
import { SESSION_EVENTS, type SessionEvent } from './contract.ts';
import { CliError, EXIT } from './errors.ts';

/** Time limits of the connection (ms). */
export const WATCH_LIMITS = {
  /** Time without an event after a lost connection until the command gives up. A server's restart takes less. */
  giveUpAfterMs: 120_000,
  /** Delay before the first reconnect; doubles with each attempt up to `maxBackoffMs`. */
  backoffMs: 250,
  maxBackoffMs: 5_000,
  /** Interval of pings on a silent connection, and time limit for each answer. */
  probeMs: 15_000,
};
export type WatchLimits = typeof WATCH_LIMITS;

/** WebSocket close codes and GraphQL error codes after which a retry is pointless. */
const FATAL_CLOSE_CODES = new Set([4400, 4401, 4403, 4406]);
const FATAL_ERROR_CODES = new Set([
  'NOT_FOUND',
  'BAD_USER_INPUT',
  'GRAPHQL_VALIDATION_FAILED',
  'UNAUTHENTICATED',
  'FORBIDDEN',
]);

export interface WatchOptions {
  server: Server;
  sessionId: string;
  signal: AbortSignal;
  limits: WatchLimits;
  /** Called for each lost connection, before the reconnect. */
  onLost(reason: string): void;
}

/**
 * Yields the events of a session from its start, each once; resumes from the last cursor after a lost connection.
 * The iteration never ends by itself.
 * @throws CliError if the server is permanently unreachable, or the signal's reason
 */
export async function* watchSession(options: WatchOptions): AsyncGenerator<SessionEvent, never, undefined> {
  const { signal, limits } = options;
  const position: { cursor: string | null } = { cursor: null };
  let attempt = 0;
  let lostAt = 0;
  for (;;) {
    let reason = 'the server ended the stream';
    try {
      for await (const event of connectOnce(options, position)) {
        attempt = 0;
        if (event.cursor !== null) position.cursor = event.cursor;
        yield event;
      }
    } catch (error) {
      if (error instanceof CliError) throw error;
      reason = describeLoss(error, options.server);
    }
    signal.throwIfAborted();
    if (attempt === 0) lostAt = Date.now();
    else if (Date.now() - lostAt > limits.giveUpAfterMs) {
      throw new CliError(
        EXIT.UNREACHABLE,
        'UNREACHABLE',
        `The connection to ${options.server.url.host} is lost: ${reason}.`,
      );
    }
    options.onLost(reason);
    await delay(Math.min(limits.backoffMs * 2 ** attempt, limits.maxBackoffMs), undefined, { signal }).catch(
      () => {},
    );
    signal.throwIfAborted();
    attempt += 1;
  }
}

async function* connectOnce(
  { server, sessionId, signal, limits }: WatchOptions,
  position: { cursor: string | null },
): AsyncGenerator<SessionEvent> {
  const { client, release } = createSocketClient(server, limits.probeMs);
  signal.addEventListener('abort', client.terminate, { once: true });
  try {
    const results = client.iterate<{ sessionEvents: SessionEvent }>({
      query: SESSION_EVENTS,
      variables: {
        sessionId,
        // A getter, because graphql-ws resubscribes by itself after a normal closure.
        get after() {
          return position.cursor;
        },
      },
    });
    for await (const { data, errors } of results) {
      if (errors !== undefined && errors.length > 0) throw errors;
      if (data) yield data.sessionEvents;
    }
  } finally {
    signal.removeEventListener('abort', client.terminate);
    release();
  }
}

function createSocketClient({ url: httpUrl, token }: Server, probeMs: number) {
  const url = new URL(httpUrl);
  url.protocol = httpUrl.protocol === 'https:' ? 'wss:' : 'ws:';
  const { agent } = createRoutes({})(url);
  const sockets = new Set<WebSocket>();
  class TrackedSocket extends WebSocket {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols, { agent, handshakeTimeout: probeMs, headers: authorization(token) });
      sockets.add(this);
    }
  }
  let probe: NodeJS.Timeout | undefined;
  const client = createClient({
    url: url.href,
    webSocketImpl: TrackedSocket,
    retryAttempts: 0,
    keepAlive: probeMs,
    connectionAckWaitTimeout: probeMs,
    on: {
      ping(received) {
        if (!received) probe = setTimeout(client.terminate, probeMs);
      },
      pong(received) {
        if (received) clearTimeout(probe);
      },
      closed: () => clearTimeout(probe),
    },
  });
  return {
    client,
    release() {
      clearTimeout(probe);
      // No closing handshake, which would keep the process alive for half a minute if the server is unreachable.
      for (const socket of sockets) socket.terminate();
    },
  };
}

/** Returns the reason of a lost connection. @throws CliError if a retry is pointless */
function describeLoss(error: unknown, server: Server): string {
  if (Array.isArray(error)) {
    const { message, extensions } = error[0] as { message: string; extensions?: { code?: unknown } };
    if (FATAL_ERROR_CODES.has(String(extensions?.code))) {
      const code = String(extensions?.code);
      throw new CliError(EXIT.UNREACHABLE, code, message, hintForCode(code, server));
    }
    return message;
  }
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number') {
    const reason = 'reason' in error && error.reason ? ` ${String(error.reason)}` : '';
    if (FATAL_CLOSE_CODES.has(error.code)) {
      throw new CliError(
        EXIT.UNREACHABLE,
        `WS_${error.code}`,
        `The server refused the subscription:${reason}.`,
        error.code === 4401 ? hintForCode('UNAUTHENTICATED', server) : null,
      );
    }
    return `closed with code ${error.code}${reason}`;
  }
  const { message } = error as { message?: unknown };
  const refusal = /^Unexpected server response: (401|403)$/.exec(String(message))?.[1];
  if (refusal !== undefined) {
    const text = `The server no longer accepts the connection (HTTP ${refusal}).`;
    throw new CliError(EXIT.UNREACHABLE, 'UNAUTHENTICATED', text, hintForCode('UNAUTHENTICATED', server));
  }
  return typeof message === 'string' && message !== '' ? message : 'no connection';
}
