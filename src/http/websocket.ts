import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, GraphQLError } from 'graphql';
import {
  CloseCode,
  handleProtocols,
  makeServer,
  type Server,
  type SubscribePayload,
  type Context as WsContext,
} from 'graphql-ws';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Viewer } from '../access/viewer.ts';
import type { StreamsConfig } from '../config/types.ts';
import type { UnreadBytes } from './answers/unread-bytes.ts';
import { refuseUpgrade } from './errors.ts';
import type { GraphqlServer } from './graphql.ts';
import type { OriginCheck } from './host-policy.ts';
import { REQUEST_ID_HEADER, type RequestIds } from './request-id.ts';
import { hasTooMuchText } from './request-size.ts';
import { type ClientConnections, TOO_MANY_CONNECTIONS } from './streams/client-connections.ts';
import { type CredentialWatch, expiryClose } from './streams/credential-expiry.ts';
import type { FanOutGroups } from './streams/fan-out.ts';
import type { Sink } from './streams/subscriber.ts';
import { createSocketSink, cutOffSocket } from './streams/websocket-sink.ts';
import {
  CLOSE_HANDSHAKE_MS,
  KEEP_ALIVE_MS,
  MAX_BUFFERED_BYTES,
  MAX_REQUEST_BYTES,
  WS_INIT_TIMEOUT_MS,
} from './tunables.ts';

// A type alias, because graphql-ws requires a type that is assignable to a record; interfaces are not.
type Extra = {
  request: IncomingMessage;
  socket: WebSocket;
  connection: Duplex;
  /** The length (characters) of the message being handled. */
  messageLength: number;
};
type Run = Pick<ReturnType<GraphqlServer['getEnveloped']>, 'execute' | 'subscribe'>;

/** Serves GraphQL over WebSocket (graphql-transport-ws). `close` sends code 1001, so that clients reconnect. */
export function createWebSockets(deps: {
  yoga: GraphqlServer;
  groups: FanOutGroups;
  mayConnect: OriginCheck;
  clients: ClientConnections;
  credentials: CredentialWatch;
  viewerOf: (req: IncomingMessage) => Viewer;
  requestIds: RequestIds;
  unread: UnreadBytes;
  limits: StreamsConfig;
  logger: Logger;
}) {
  const { yoga, groups, requestIds, limits, logger } = deps;
  const server = new WebSocketServer({
    noServer: true,
    handleProtocols,
    maxPayload: MAX_REQUEST_BYTES,
    ...{ closeTimeout: CLOSE_HANDSHAKE_MS }, // missing in the types of ws
    // One message per turn of the event loop, so that a completed operation is gone before its id is reused.
    allowSynchronousEvents: false,
  });
  server.on('headers', (headers, req) => headers.push(`${REQUEST_ID_HEADER}: ${requestIds.of(req)}`));
  const protocol = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: WS_INIT_TIMEOUT_MS,
    // Uses the operation's own functions from `prepare`, because they carry its context and error masking.
    execute: (args) => (args.rootValue as Run).execute(args),
    subscribe: (args) => (args.rootValue as Run).subscribe(args),
    // Drops the client's connection parameters, because they would stay in memory unused as long as the socket.
    onConnect: (ctx) => void Object.assign(ctx, { connectionParams: undefined }),
    onSubscribe: (ctx, id, params) => {
      if (Object.keys(ctx.subscriptions).length > limits.operationsPerConnection) return [tooMany(limits)];
      const { socket, connection } = ctx.extra;
      const sink = createSocketSink({ socket, connection, operationId: id, onCutOff: groups.countCutOff });
      return prepare(yoga, ctx, params, sink);
    },
  });
  return {
    upgrade(req: IncomingMessage, connection: Duplex, head: Buffer): void {
      const leave = deps.clients.enter(req);
      if (leave === null) {
        refuseUpgrade(connection, requestIds.of(req), TOO_MANY_CONNECTIONS);
        return;
      }
      connection.once('close', leave);
      server.handleUpgrade(req, connection, head, (socket) => {
        if (deps.mayConnect(req)) {
          const viewer = deps.viewerOf(req);
          const { code, reason } = expiryClose(viewer);
          const unwatch = deps.credentials.watch(viewer, () => socket.close(code, reason));
          connection.once('close', unwatch);
          const extra = { socket, request: req, connection, messageLength: 0 };
          return serve(protocol, extra, groups.countCutOff, deps);
        }
        // Closed with a code instead of refused, because browsers show a page the close code but no details of a
        // refusal.
        logger.warn({ origin: req.headers.origin }, 'websocket closed: page of another origin');
        socket.on('error', (error) => logger.debug({ err: error }, 'websocket failed'));
        socket.close(CloseCode.Forbidden, 'Pages of this origin may not connect');
      });
    },
    close(): Promise<void> {
      for (const client of server.clients) client.close(1001, 'Going away');
      return new Promise((resolve) => server.close(() => resolve()));
    },
    terminate(): void {
      for (const client of server.clients) client.terminate();
    },
  };
}

function tooMany({ operationsPerConnection }: StreamsConfig): GraphQLError {
  return new GraphQLError(
    `At most ${operationsPerConnection} operations may run on one connection. Complete some first.`,
    { extensions: { code: 'TOO_MANY_OPERATIONS' } },
  );
}

/** Connects a socket to graphql-ws. Not by the library's own binding, which writes malformed frames to the console. */
function serve(
  protocol: Server<Extra>,
  extra: Extra,
  onCutOff: () => void,
  { logger, requestIds, unread }: { logger: Logger; requestIds: RequestIds; unread: UnreadBytes },
): void {
  const { socket, request } = extra;
  // ws itself closes the socket with the right code, such as 1009 for a message that is too large.
  socket.on('error', (error) => logger.debug({ err: error }, 'websocket failed'));
  socket.setMaxListeners(0); // each open operation listens for `close`
  const stopPinging = keepAlive(socket);
  const isFlooding = () => {
    if (socket.bufferedAmount <= MAX_BUFFERED_BYTES) return false;
    cutOffSocket(socket, onCutOff);
    return true;
  };
  socket.on('ping', isFlooding);
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (data) =>
        new Promise((resolve) => {
          if (socket.readyState !== socket.OPEN) return resolve();
          const read = unread.add(data.length, () => cutOffSocket(socket, onCutOff));
          socket.send(data, () => {
            read();
            resolve();
          });
        }),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handle) =>
        socket.on('message', (data) => {
          if (socket.readyState !== socket.OPEN || isFlooding()) return; // ignores messages while closing
          const text = String(data);
          if (hasTooMuchText(text)) return socket.close(1009, 'Message too large');
          extra.messageLength = text.length; // read synchronously, before the next message arrives
          requestIds
            .run(request, () => handle(text))
            .catch((error: unknown) => {
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

/** True for the error that graphql-ws throws if a client sends a message reserved for servers, such as `next`. */
function isServersMessage(error: unknown): boolean {
  return error instanceof Error && /^Unexpected message of type \S+ received$/.test(error.message);
}

/** Pings the client regularly and terminates the socket if a pong is missing by the next ping. */
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

async function prepare(
  yoga: GraphqlServer,
  ctx: WsContext<Record<string, unknown>, Extra>,
  params: SubscribePayload,
  sink: Sink,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { request, socket, messageLength } = ctx.extra;
  const enveloped = yoga.getEnveloped({ ...ctx, req: request, socket, params, sink, messageLength });
  try {
    const document = enveloped.parse(params.query);
    const errors = enveloped.validate(enveloped.schema, document);
    if (errors.length > 0) return errors;
    return {
      schema: enveloped.schema,
      document,
      operationName: params.operationName || null, // an empty name is as good as none
      variableValues: params.variables,
      contextValue: await enveloped.contextFactory(),
      rootValue: { execute: enveloped.execute, subscribe: enveloped.subscribe },
    };
  } catch (error) {
    // Returned as the operation's error, because a rethrown error would close the whole socket.
    if (!(error instanceof GraphQLError)) throw error;
    error.extensions.code ??= 'GRAPHQL_PARSE_FAILED';
    return [error];
  }
}
