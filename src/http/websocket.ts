import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, GraphQLError } from 'graphql';
import { CloseCode, handleProtocols, makeServer, type Server, type Context as WsContext } from 'graphql-ws';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import type { GraphqlServer } from './graphql.ts';
import { isAllowedOrigin } from './headers.ts';
import type { Groups } from './streams/group.ts';
import type { Sink } from './streams/subscriber.ts';
import { createSocketSink } from './streams/websocket-sink.ts';
import { CLOSE_HANDSHAKE_MS, KEEP_ALIVE_MS, MAX_REQUEST_BYTES, WS_INIT_TIMEOUT_MS } from './tunables.ts';

// A type, not an interface: graphql-ws wants something that is assignable to a record.
type Extra = {
  request: IncomingMessage;
  socket: WebSocket;
  /** What `socket` writes to. */
  connection: Duplex;
};
type Enveloped = ReturnType<GraphqlServer['getEnveloped']>;
type Run = Pick<Enveloped, 'execute' | 'subscribe'>;

/** GraphQL over WebSocket (graphql-transport-ws). `close` tells clients 1001, upon which they reconnect. */
export function createWebSockets(deps: {
  yoga: GraphqlServer;
  groups: Groups;
  allowedOrigins: readonly string[];
  logger: Logger;
}) {
  const { yoga, groups, allowedOrigins, logger } = deps;
  const options = { maxPayload: MAX_REQUEST_BYTES, closeTimeout: CLOSE_HANDSHAKE_MS };
  const server = new WebSocketServer({ noServer: true, handleProtocols, ...options });
  const protocol = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: WS_INIT_TIMEOUT_MS,
    // The enveloped functions of this very operation: they carry its context and its masking of errors.
    execute: (args) => (args.rootValue as Run).execute(args),
    subscribe: (args) => (args.rootValue as Run).subscribe(args),
    onSubscribe: (ctx, id, params) => {
      const { socket, connection } = ctx.extra;
      const sink = createSocketSink({ socket, connection, operationId: id, onCutOff: groups.noteCutOff });
      return prepare(yoga, ctx, params, sink);
    },
  });
  return {
    /** Takes over a connection that asks for the upgrade. */
    upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
      if (isAllowedOrigin(req, allowedOrigins)) {
        server.handleUpgrade(req, socket, head, (client) =>
          serve(protocol, { socket: client, request: req, connection: socket }, logger),
        );
      } else {
        logger.warn({ origin: req.headers.origin }, 'websocket refused: page of another origin');
        socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      }
    },
    /** Resolves when every client has closed. */
    close(): Promise<void> {
      for (const client of server.clients) client.close(1001, 'Going away');
      return new Promise((resolve) => server.close(() => resolve()));
    },
    /** Cuts what has not closed. */
    terminate(): void {
      for (const client of server.clients) client.terminate();
    },
  };
}

/**
 * Binds one socket to the protocol. (graphql-ws brings such a binding for ws, but it writes every malformed frame
 * of a client to the console as an error of ours.)
 */
function serve(protocol: Server<Extra>, extra: Extra, logger: Logger): void {
  const { socket } = extra;
  // ws closes the socket by itself, with the code that fits: 1009 for a message that is too large.
  socket.on('error', (error) => logger.debug({ err: error }, 'websocket broken'));
  const stopPinging = keepAlive(socket);
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (data) =>
        new Promise((resolve) =>
          socket.readyState === socket.OPEN ? socket.send(data, () => resolve()) : resolve(),
        ),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handle) =>
        socket.on('message', (data) => {
          handle(String(data)).catch((error: unknown) => {
            if (isServersMessage(error))
              return socket.close(CloseCode.BadRequest, 'Invalid message received');
            logger.error({ err: error }, 'websocket message failed');
            socket.close(CloseCode.InternalServerError, 'Internal server error');
          });
        }),
    },
    extra,
  );
  socket.once('close', (code, reason) => {
    stopPinging();
    closed(code, String(reason)).catch((error: unknown) =>
      logger.error({ err: error }, 'websocket not closed cleanly'),
    );
  });
}

/** A client sent what only servers may (such as `next`): graphql-ws throws, and calls it nothing but this. */
function isServersMessage(error: unknown): boolean {
  return error instanceof Error && /^Unexpected message of type \S+ received$/.test(error.message);
}

/** Pings the client; one that has not answered by the next ping is gone. */
function keepAlive(socket: WebSocket): () => void {
  let alive = true;
  socket.on('pong', () => {
    alive = true;
  });
  const timer = setInterval(() => {
    if (!alive) return socket.terminate();
    alive = false;
    socket.ping();
  }, KEEP_ALIVE_MS);
  return () => clearInterval(timer);
}

type Params = {
  query: string;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
};

async function prepare(
  yoga: GraphqlServer,
  ctx: WsContext<Record<string, unknown>, Extra>,
  params: Params,
  sink: Sink,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { request, socket } = ctx.extra;
  const enveloped = yoga.getEnveloped({ ...ctx, req: request, socket, params, sink });
  try {
    const document = enveloped.parse(params.query);
    const errors = enveloped.validate(enveloped.schema, document);
    if (errors.length > 0) return errors;
    return {
      schema: enveloped.schema,
      document,
      operationName: params.operationName,
      variableValues: params.variables,
      contextValue: await enveloped.contextFactory(),
      rootValue: { execute: enveloped.execute, subscribe: enveloped.subscribe },
    };
  } catch (error) {
    // A document that does not parse is the operation's error; thrown on, it would close the whole socket.
    if (!(error instanceof GraphQLError)) throw error;
    error.extensions.code ??= 'GRAPHQL_PARSE_FAILED';
    return [error];
  }
}
