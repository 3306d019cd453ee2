import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { constants } from 'node:zlib';
import compression from 'compression';
import type { Logger } from 'pino';
import type { Directory } from '../access/directory.ts';
import type { EndedAccess } from '../access/ended-access.ts';
import { settlesWithin } from '../common/time-limit.ts';
import type { AuthConfig, StreamsConfig } from '../config/types.ts';
import type { TracedRequest, Tracing } from '../engine/api/tracing.ts';
import { createLedger } from './answers/ledger.ts';
import { createUnreadBytes } from './answers/unread-bytes.ts';
import { type Auth, createAuth, requireServable } from './auth.ts';
import { createDashboard } from './dashboard.ts';
import { refuse, refuseUpgrade } from './errors.ts';
import { createGraphqlServer, GRAPHQL_PATH, type GraphqlDeps, type GraphqlServer } from './graphql.ts';
import { answerHealth, type HealthDeps } from './health.ts';
import { createCors, createHostCheck, createOriginCheck } from './host-policy.ts';
import { listenOn } from './listen.ts';
import { createMcpEndpoint, MCP_PATH } from './mcp/endpoint.ts';
import { answerMetrics, countRequest, type MetricsPage } from './metrics.ts';
import type { OpenSignIn, SignIn } from './oidc/sign-in.ts';
import { checkRequest, isNavigation, pathOf, type Refusal, wantsPage } from './request-checks.ts';
import { createRequestIds, REQUEST_ID_HEADER } from './request-id.ts';
import { createScimEndpoint, isScim } from './scim/endpoint.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { createSlackHandler, SLACK_PATH, type SlackEndpoint } from './slack.ts';
import { createClientConnections, peerOf } from './streams/client-connections.ts';
import { createCredentialWatch } from './streams/credential-expiry.ts';
import { createFanOutGroups, type FanOutCounts } from './streams/fan-out.ts';
import { createTargetReader, subPathOf } from './sub-path.ts';
import {
  ANSWER_LIMITS,
  CLOSE_LIMIT_MS,
  COMPRESSED_FROM_BYTES,
  HEADERS_TIMEOUT_MS,
  MAX_UNREAD_BYTES,
  REQUEST_TIMEOUT_MS,
} from './tunables.ts';
import { createWebhooks, isWebhook, refuseUnstored, WEBHOOK_ROUTE } from './webhooks.ts';
import { createWebSockets } from './websocket.ts';

export interface HttpDeps extends GraphqlDeps, HealthDeps {
  auth: AuthConfig;
  openSignIn?: OpenSignIn;
  endedAccess: EndedAccess;
  directory: Directory;
  metricsPage: MetricsPage;
  tracing: Pick<Tracing, 'request'>;
  dashboardDir: string;
  /** Endpoint that Slack calls; `null` if requests from Slack do not arrive by HTTP. Default: `null`. */
  slack?: SlackEndpoint | null;
  /** Names of this server in addition to loopback, without ports; `*` matches part of a name. */
  allowedHosts?: readonly string[];
  /** Other origins whose pages may use the API; `*` matches part of a host name. */
  allowedOrigins?: readonly string[];
  allowedWsOrigins?: readonly string[];
  streamLimits: StreamsConfig;
  /** Time (ms) that `close` waits for open requests before it cuts them. */
  closeLimitMs?: number;
}

export interface HttpServer {
  /** Starts listening; port 0 picks any free port. Rejects if the address is unavailable or requires authentication. */
  listen(host: string, port: number): Promise<{ url: string; port: number }>;
  readonly fanOut: Readonly<FanOutCounts>;
  /** Refuses new requests, ends streams so that clients reconnect, and resolves within the time limit. */
  close(): Promise<void>;
}

export function createHttpServer(deps: HttpDeps): HttpServer {
  const stopping = new AbortController();
  const { allowedHosts = [], allowedOrigins = [], allowedWsOrigins = [] } = deps;
  const checkHost = createHostCheck(allowedHosts, deps.logger);
  const cors = createCors(createOriginCheck(allowedOrigins));
  const signIn = deps.openSignIn?.({ ...deps, checkOrigin: cors.check }) ?? null;
  const auth = createAuth({ ...deps, signIn });
  const groups = createFanOutGroups();
  const clientNameOf = (req: IncomingMessage) => {
    const { via, name, tokenId } = auth.viewerOf(req);
    return via === 'NONE' ? peerOf(req) : JSON.stringify([via, tokenId ?? name]);
  };
  const credentials = createCredentialWatch(deps);
  const clients = createClientConnections(deps.streamLimits, clientNameOf);
  const requestIds = createRequestIds();
  const unread = createUnreadBytes(MAX_UNREAD_BYTES);
  const yoga = createGraphqlServer({
    ...deps,
    ...{ auth, groups, clients, credentials, clientNameOf, requestIds, unread },
    ledger: createLedger(ANSWER_LIMITS),
    stopping: stopping.signal,
  });
  const mcp = createMcpEndpoint({ ...deps, yoga, auth, credentials, clients, requestIds });
  const sockets = createWebSockets({
    yoga,
    groups,
    clients,
    credentials,
    viewerOf: auth.viewerOf,
    requestIds,
    unread,
    mayConnect: createOriginCheck([...allowedOrigins, ...allowedWsOrigins]),
    limits: deps.streamLimits,
    logger: deps.logger,
  });
  const subPath = subPathOf(deps.dashboardUrl);
  const readTarget = createTargetReader(subPath);
  const route = createRouter(deps, { checkHost, auth, signIn, cors, yoga, mcp, subPath });

  const timeouts = { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
  const server = createServer(timeouts, (req, res) => {
    readTarget(req);
    const requestId = requestIds.of(req);
    res.setHeader(REQUEST_ID_HEADER, requestId);
    logAccess(req, res, requestId, deps.logger);
    countRequest(deps.metrics, req, res);
    // Closes connections that become idle during the stop, because they would keep the server open.
    res.once('close', () => stopping.signal.aborted && setImmediate(() => server.closeIdleConnections()));
    const handled = requestIds.run(req, () =>
      deps.tracing.request(tracedRequest(req, res), () => route(req, res)),
    );
    handled.catch((error: unknown) => {
      deps.logger.error({ err: error, correlationId: requestId }, 'request failed');
      if (res.headersSent) res.destroy();
      else if (isWebhook(pathOf(req) ?? '')) refuseUnstored(res);
      else refuse(res, 500, 'INTERNAL', 'Internal error');
    });
  });
  server.on('upgrade', (req, socket, head) => {
    readTarget(req);
    socket.on('error', (error) => deps.logger.debug({ err: error }, 'connection failed during upgrade'));
    upgrade(req, socket, head).catch((error: unknown) => {
      deps.logger.error({ err: error, correlationId: requestIds.of(req) }, 'upgrade failed');
      refuseUpgrade(socket, requestIds.of(req), { status: 500, code: 'INTERNAL', message: 'Internal error' });
    });
  });
  const upgrade = async (req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const isOurs = pathOf(req) === GRAPHQL_PATH && !stopping.signal.aborted;
    const refusal = isOurs ? (checkHost(req) ?? (await auth.check(req))) : NO_SUCH_SOCKET;
    if (refusal) return refuseUpgrade(socket, requestIds.of(req), refusal);
    if (socket.destroyed) return;
    deps.metrics.socketsChanged(1);
    socket.once('close', () => deps.metrics.socketsChanged(-1));
    sockets.upgrade(req, socket, head);
  };

  return {
    fanOut: groups.counts,
    async listen(host, port) {
      requireServable(deps.auth, host);
      return listenOn(server, host, port);
    },
    async close() {
      stopping.abort();
      const closed = server.listening ? new Promise<void>((resolve) => server.close(() => resolve())) : null;
      await settlesWithin(deps.closeLimitMs ?? CLOSE_LIMIT_MS, Promise.all([closed, sockets.close()]));
      await mcp.close();
      sockets.terminate();
      await credentials.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns what a trace says about a request. The path has no query, which may contain alert text. */
function tracedRequest(req: IncomingMessage, res: ServerResponse): TracedRequest {
  const { traceparent, tracestate } = req.headersDistinct;
  const path = pathOf(req) ?? '';
  return {
    method: req.method ?? '',
    route: isWebhook(path) ? WEBHOOK_ROUTE : path,
    path,
    // A repeated header is ambiguous, so it is ignored.
    traceparent: traceparent?.length === 1 ? traceparent[0]! : null,
    tracestate: tracestate?.join(',') ?? null,
    status: () => res.statusCode,
  };
}

const NO_SUCH_SOCKET: Refusal = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'No WebSocket is served at this path.',
};

/** Compresses answers with brotli or gzip. Event streams set `no-transform`, because compression would delay events. */
const compress = compression({
  threshold: COMPRESSED_FROM_BYTES,
  level: 3,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } },
});

interface Parts {
  checkHost: ReturnType<typeof createHostCheck>;
  auth: Auth;
  signIn: SignIn | null;
  cors: ReturnType<typeof createCors>;
  yoga: GraphqlServer;
  mcp: ReturnType<typeof createMcpEndpoint>;
  subPath: string;
}

function createRouter(deps: HttpDeps, { checkHost, auth, signIn, cors, yoga, mcp, subPath }: Parts) {
  const dashboard = createDashboard(deps.dashboardDir);
  const webhooks = deps.intake && createWebhooks({ intake: deps.intake, logger: deps.logger });
  const scim = createScimEndpoint({ ...deps, viewerOf: auth.viewerOf });
  const slack = deps.slack ? createSlackHandler(deps.slack, deps.logger) : null;
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const path = pathOf(req);
    if (path === null) {
      return refuse(res, 400, 'BAD_REQUEST', 'The request target or the Host header is malformed.');
    }
    // The page's relative addresses need the slash.
    if (path === subPath)
      return void res.writeHead(308, { Location: req.url!.replace(/(?=\?|$)/, '/') }).end();
    setSecurityHeaders(res, { graphiql: deps.api.graphiql && path === GRAPHQL_PATH && wantsPage(req) });
    if (path === '/health') return answerHealth(req.url, res, deps);
    const foreign = checkHost(req);
    if (foreign) return refuse(res, foreign.status, foreign.code, foreign.message);
    if (webhooks && isWebhook(path)) return webhooks(req, res, path);
    if (slack && path === SLACK_PATH) return slack(req, res);
    if (signIn !== null && (await signIn.answer(req, res, path))) return;
    // Answers CORS preflights before authentication, because they carry no cookies.
    if (path === GRAPHQL_PATH && cors.answer(req, res)) return;
    if (isScim(path)) {
      const refusal = await auth.check(req);
      return refusal ? refuse(res, refusal.status, refusal.code, refusal.message) : scim(req, res, path);
    }
    const isApi = path === GRAPHQL_PATH || path === MCP_PATH;
    const refusal = (await auth.check(req)) ?? (isApi ? (cors.check(req) ?? checkRequest(req)) : null);
    if (refusal?.status === 401 && signIn !== null && !isApi && isNavigation(req))
      return signIn.begin(req, res);
    if (refusal) return refuse(res, refusal.status, refusal.code, refusal.message);
    if (path === '/metrics') {
      if (!auth.viewerOf(req).rights.has('READ'))
        return refuse(res, 403, 'FORBIDDEN', 'Metrics require the right to read.');
      return answerMetrics(req, res, deps.metricsPage);
    }
    if (path === MCP_PATH) return mcp.answer(req, res);
    if (path !== GRAPHQL_PATH) return dashboard(req, res, path);
    compress(req as never, res as never, () => {});
    await yoga(req, res);
  };
}

function logAccess(req: IncomingMessage, res: ServerResponse, correlationId: string, logger: Logger): void {
  const begun = performance.now();
  res.once('close', () => {
    const path = req.url?.split('?', 1)[0]; // without the query, which may contain alert text
    const ms = Math.round(performance.now() - begun);
    logger.debug({ correlationId, method: req.method, path, status: res.statusCode, ms }, 'request');
  });
}
