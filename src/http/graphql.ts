import type { IncomingMessage } from 'node:http';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { SavedViews } from '../access/saved-views.ts';
import { teamNames } from '../access/teams.ts';
import type { Tokens } from '../access/tokens.ts';
import type { Visibility } from '../access/visibility.ts';
import type { AccessConfig, ApiConfig } from '../config/types.ts';
import type { Engine } from '../engine/api/engine.ts';
import type { Intake } from '../intake/index.ts';
import type { Schedules } from '../schedules/index.ts';
import type { Context } from '../schema/context.ts';
import { schema } from '../schema/index.ts';
import { createPresence } from '../schema/presence.ts';
import type { AlertTypeInfo, McpDirectory } from '../schema/views.ts';
import { boundedAnswers } from './answers/bounded-answers.ts';
import type { Ledger } from './answers/ledger.ts';
import { createOperationReads, type ReplicaReads, type StreamReads } from './answers/operation-reads.ts';
import type { UnreadBytes } from './answers/unread-bytes.ts';
import type { Auth } from './auth.ts';
import { createDocumentCache, validationCache } from './document-cache.ts';
import { documentLimits } from './document-limits.ts';
import { errorMasker } from './errors.ts';
import { hideSchema } from './hide-schema.ts';
import { type KnownDocuments, onlyKnownDocuments } from './known-documents.ts';
import { createLargeImports } from './large-imports.ts';
import { type HttpMetrics, operationMetrics } from './metrics.ts';
import type { RequestIds } from './request-id.ts';
import { requestParams } from './request-params.ts';
import { limitSubscriptions, readBodies } from './request-size.ts';
import { ssePlugin } from './sse.ts';
import type { ClientConnections } from './streams/client-connections.ts';
import type { CredentialWatch } from './streams/credential-expiry.ts';
import type { FanOutGroups } from './streams/fan-out.ts';
import { sharedExecution } from './streams/shared-execution.ts';

export const GRAPHQL_PATH = '/graphql';

export interface GraphqlDeps {
  engine: Engine;
  /** `null` if this process accepts no deliveries. */
  intake: Intake | null;
  schedules: Schedules;
  /** Connections for API reads, so that slow reads cannot delay other work. */
  pool: Pool;
  searchPool: Pool;
  /** `null` if the primary answers all reads. Default: `null`. */
  replica?: ReplicaReads | null;
  alertTypes: readonly AlertTypeInfo[];
  labels: Context['labels'];
  model: Context['model'];
  tokens: Tokens;
  savedViews: SavedViews;
  configuration: Context['configuration'];
  budgets: Context['budgets'];
  dashboardUrl: Context['dashboardUrl'];
  access: AccessConfig;
  metrics: HttpMetrics;
  mcpServers: McpDirectory;
  logger: Logger;
  api: Pick<ApiConfig, 'introspection' | 'graphiql'>;
  /** `null` if every document is answered. */
  documents: KnownDocuments | null;
}

/** Objects that GraphQL over HTTP shares with WebSockets and other paths of the HTTP server. */
export interface GraphqlParts {
  auth: Auth;
  credentials: CredentialWatch;
  requestIds: RequestIds;
  groups: FanOutGroups;
  clientNameOf: (req: IncomingMessage) => string;
  clients: ClientConnections;
  ledger: Ledger;
  unread: UnreadBytes;
  stopping: AbortSignal;
}

/** Text in GraphiQL's editor at its first visit. *Execute* runs it as it is. */
const GRAPHIQL_QUERY = `# The newest investigations. Ctrl-Space completes names; the book icon opens the schema.
{
  sessions(first: 5) {
    nodes {
      id
      title
      status
      createdAt
    }
  }
}
`;

export type GraphqlServer = ReturnType<typeof createGraphqlServer>;

export function createGraphqlServer(deps: GraphqlDeps & GraphqlParts) {
  const reading = createOperationReads(deps);
  const shared = {
    engine: deps.engine,
    intake: deps.intake,
    schedules: deps.schedules,
    alertTypes: deps.alertTypes,
    labels: deps.labels,
    model: deps.model,
    mcpServers: deps.mcpServers,
    tokens: deps.tokens,
    configuration: deps.configuration,
    budgets: deps.budgets,
    dashboardUrl: deps.dashboardUrl,
    teams: teamNames(deps.access),
    savedViews: deps.savedViews,
    presence: createPresence(),
  };
  const mask = errorMasker(deps.logger, deps.requestIds.current);
  // Both transports pass `req`. HTTP also passes the response, WebSocket the socket.
  return createYoga<{ req: IncomingMessage }, Omit<Context, 'answer' | 'reads' | 'loaders'>>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    landingPage: false,
    logging: false,
    batching: false,
    multipart: false,
    cors: false,
    maxRequestBodySize: false, // `readBodies` checks the size
    parserAndValidationCache: {
      documentCache: createDocumentCache(),
      errorCache: createDocumentCache(),
      validationCache: false,
    },
    maskedErrors: { maskError: mask },
    graphiql: deps.api.graphiql && {
      ...{ title: 'TARSy API', subscriptionsProtocol: 'WS', defaultQuery: GRAPHIQL_QUERY },
    },
    // Loads GraphiQL at its first request, because its 18 MB of source are rarely needed.
    renderGraphiQL: async (options) =>
      (await import('@graphql-yoga/render-graphiql')).renderGraphiQL(options),
    context: ({ req }) => ({
      ...shared,
      viewer: deps.auth.viewerOf(req),
      lastEventId: String(req.headers['last-event-id'] ?? '') || null,
    }),
    plugins: [
      ...(deps.api.introspection ? [] : [hideSchema()]),
      ...(deps.documents === null ? [] : [onlyKnownDocuments(deps.documents, deps.auth.viewerOf)]),
      documentLimits(),
      limitSubscriptions(),
      validationCache(),
      readBodies(createLargeImports(deps.auth.viewerOf)),
      requestParams(deps.documents),
      operationMetrics(deps.metrics),
      boundedAnswers({ ...deps, readsFor: reading.ofAnswer }),
      subscriptionReads(reading.ofStream),
      ssePlugin({ ...deps, onCutOff: deps.groups.countCutOff }),
      sharedExecution({ ...deps, mask }),
    ],
  });
}

function subscriptionReads(readsOf: (sight: Visibility) => StreamReads): Plugin<Pick<Context, 'viewer'>> {
  return {
    onSubscribe: ({ args, extendContext }) =>
      extendContext(readsOf(args.contextValue.viewer.teams) as Partial<Context>),
  };
}
