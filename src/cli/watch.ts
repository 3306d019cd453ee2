import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { authorization, hintForCode, type Server } from './api.ts';
import { SESSION_EVENTS, type SessionEvent } from './contract.ts';
import { CliError, EXIT } from './errors.ts';

/** How patient the command is with a connection, milliseconds. */
export interface WatchLimits {
  /** Without any event for this long after a connection broke, the server counts as gone. */
  giveUpAfterMs: number;
  /** Wait before the first attempt to reconnect; doubles with each up to `maxBackoffMs`. */
  backoffMs: number;
  maxBackoffMs: number;
  /** A silent connection is probed this often, and is dead when the answer takes as long. */
  probeMs: number;
}

export const WATCH_LIMITS: WatchLimits = {
  giveUpAfterMs: 120_000, // a server that restarts, migrations included, is back by then
  backoffMs: 250,
  maxBackoffMs: 5_000,
  probeMs: 15_000,
};

/** Close codes and error codes that another attempt would only meet again. */
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
  /** Told of each lost connection, before the attempt to reconnect. */
  onLost(reason: string): void;
}

/**
 * The events of a session from its start, each once: after a lost connection it goes on from the last cursor.
 * Ends only by leaving the loop. @throws CliError when the server is gone for good, or the signal's reason
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
        // Read whenever the client subscribes: it does so again by itself after a normal closure.
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
  const sockets = new Set<WebSocket>();
  class TrackedSocket extends WebSocket {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols, { handshakeTimeout: probeMs, headers: authorization(token) });
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
      // A closing handshake with a server that is gone would keep the process for half a minute.
      for (const socket of sockets) socket.terminate();
    },
  };
}

/** @throws CliError for what another attempt cannot mend */
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
    const text = `The server let the connection in no more (HTTP ${refusal}).`;
    throw new CliError(EXIT.UNREACHABLE, 'UNAUTHENTICATED', text, hintForCode('UNAUTHENTICATED', server));
  }
  return typeof message === 'string' && message !== '' ? message : 'no connection';
}
