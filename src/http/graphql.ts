import type { IncomingMessage } from 'node:http';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { teamNames } from '../access/teams.ts';
import type { Tokens } from '../access/tokens.ts';
import type { Visibility } from '../access/visibility.ts';
import type { AccessConfig, ApiConfig } from '../config/types.ts';
import type { Engine } from '../engine/engine.ts';
import type { Intake } from '../intake/index.ts';
import type { AlertTypeInfo, Context, McpDirectory } from '../schema/context.ts';
import { schema } from '../schema/index.ts';
import { boundedAnswers } from './answers/bounded-answers.ts';
import type { Ledger } from './answers/ledger.ts';
import { createReading, type StreamReads } from './answers/operation-reads.ts';
import type { Unread } from './answers/unread-bytes.ts';
import type { Auth } from './auth.ts';
import { createDocumentCache } from './document-cache.ts';
import { documentLimits } from './document-limits.ts';
import { errorMasker } from './errors.ts';
import type { HttpMetrics } from './metrics.ts';
import { operationMetrics } from './operation-metrics.ts';
import type { RequestIds } from './request-id.ts';
import { limitRequests } from './request-size.ts';
import { ssePlugin } from './sse.ts';
import type { Clients } from './streams/client-connections.ts';
import type { Endings } from './streams/credential-expiry.ts';
import type { Groups } from './streams/fan-out.ts';
import { sharedExecution } from './streams/shared-execution.ts';
import { limitSubscriptions } from './subscription-size.ts';
import { hideSuggestions } from './suggestions.ts';
import { validationCache } from './validation-cache.ts';

/** Path of the API: queries, mutations and SSE over HTTP, and the WebSocket. */
export const GRAPHQL_PATH = '/graphql';

export interface GraphqlDeps {
  engine: Engine;
  /** Null = no deliveries are taken. */
  intake: Intake | null;
  /** For reads of the API alone: what it waits for, nobody else waits for. */
  pool: Pool;
  /** For searches, likewise. */
  searchPool: Pool;
  alertTypes: readonly AlertTypeInfo[];
  auth: Auth;
  tokens: Tokens;
  configuration: Context['configuration'];
  budgets: Context['budgets'];
  dashboardUrl: Context['dashboardUrl'];
  access: AccessConfig;
  endings: Endings;
  requestIds: RequestIds;
  metrics: HttpMetrics;
  mcpServers: McpDirectory;
  logger: Logger;
  api: ApiConfig;
  /** Subscribers that share executions. */
  groups: Groups;
  /** Who asks, of those among whom what there is is shared. */
  nameOf: (req: IncomingMessage) => string;
  /** Counts event streams. */
  clients: Clients;
  /** Counts the answers that are being made. */
  ledger: Ledger;
  /** Counts those that wait for their clients. */
  unread: Unread;
  /** Aborted when the server stops. */
  stopping: AbortSignal;
}

/** What both transports hand in: over HTTP with the response, over WebSocket with the socket. */
interface Transport {
  req: IncomingMessage;
}

export type GraphqlServer = ReturnType<typeof createGraphqlServer>;

/** The GraphQL engine behind HTTP and WebSocket. */
export function createGraphqlServer(deps: GraphqlDeps) {
  const reading = createReading(deps);
  const teams = teamNames(deps.access);
  const mask = errorMasker(deps.logger, deps.requestIds.current);
  return createYoga<Transport, Omit<Context, 'answer' | 'reads' | 'loaders'>>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    landingPage: false,
    logging: false,
    batching: false,
    multipart: false,
    cors: false,
    maxRequestBodySize: false, // ours costs small requests nothing
    parserAndValidationCache: {
      documentCache: createDocumentCache(),
      errorCache: createDocumentCache(),
      validationCache: false,
    },
    maskedErrors: { maskError: mask },
    graphiql: deps.api.graphiql && { title: 'TARSy API', subscriptionsProtocol: 'WS' },
    // The page is 18 MB of source, and wanted seldom: loaded with its first request.
    renderGraphiQL: async (options) =>
      (await import('@graphql-yoga/render-graphiql')).renderGraphiQL(options),
    context: ({ req }) => ({
      engine: deps.engine,
      intake: deps.intake,
      alertTypes: deps.alertTypes,
      viewer: deps.auth.viewerOf(req),
      mcpServers: deps.mcpServers,
      tokens: deps.tokens,
      configuration: deps.configuration,
      budgets: deps.budgets,
      dashboardUrl: deps.dashboardUrl,
      teams,
      lastEventId: lastEventIdOf(req),
    }),
    plugins: [
      ...(deps.api.introspection ? [] : [hideSuggestions()]),
      documentLimits(deps.api),
      limitSubscriptions(),
      validationCache(),
      limitRequests(),
      operationMetrics(deps.metrics),
      boundedAnswers({ ...deps, readsFor: reading.ofAnswer }),
      subscriptionReads(reading.ofStream),
      ssePlugin({ ...deps, onCutOff: deps.groups.noteCutOff }),
      sharedExecution({ ...deps, mask }),
    ],
  });
}

/** What a subscription reads with, which lives as long as its context does. */
function subscriptionReads(readsOf: (sight: Visibility) => StreamReads): Plugin<Pick<Context, 'viewer'>> {
  return {
    onSubscribe: ({ args, extendContext }) =>
      extendContext(readsOf(args.contextValue.viewer.teams) as Partial<Context>),
  };
}

function lastEventIdOf(req: IncomingMessage): string | null {
  const value = req.headers['last-event-id'];
  return typeof value === 'string' && value !== '' ? value : null;
}
