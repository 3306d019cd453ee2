import { cacheExchange } from '@urql/exchange-graphcache';
import { type RetryExchangeOptions, retryExchange } from '@urql/exchange-retry';
import { Client, type ExecutionResult, fetchExchange, subscriptionExchange } from 'urql';
import { subscribeDurably } from './durable-subscription.ts';
import { possibleTypes } from './gen/documents.ts';
import type { SignIn } from './sign-in.ts';
import type { Socket } from './socket.ts';

/** The urql client: normalized cache, queries over HTTP, subscriptions over the socket and its reconnections. */
export function createClient(socket: Socket, signIn: SignIn): Client {
  return new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetch: signIn.fetch,
    exchanges: [
      cacheExchange({ possibleTypes, keys: embedded }),
      retryExchange(RETRIES),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: subscribeDurably(
              socket.client,
              { query: query ?? '', variables: () => variables ?? {} },
              {
                next: (result) => sink.next(result as ExecutionResult),
                refused: (message) => sink.error(new Error(message)),
              },
            ),
          }),
        }),
      }),
    ],
  });
}

/** What a proxy answers while the server behind it starts or is overloaded; whoever waits longer than these is told. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** After half a second, then with growing pauses, for several seconds in all. Mutations may have been done: never them. */
const RETRIES: RetryExchangeOptions = {
  initialDelayMs: 500,
  maxDelayMs: 8_000,
  maxNumberAttempts: 5,
  retryIf: ({ response }, { kind }) =>
    kind === 'query' && AWAY.has((response as Response | undefined)?.status ?? 0),
};

/** Types without an id of their own live inside their parent. */
const embedded = Object.fromEntries(
  [
    'ActiveSessions',
    'AlertConnection',
    'AlertGroupConnection',
    'AlertGroupsChanged',
    'AlertSource',
    'AlertType',
    'AlertTypeRecord',
    'Canary',
    'AnswerReport',
    'Citation',
    'Claim',
    'AuditEventConnection',
    'CreateApiTokenSuccess',
    'CreateSilenceSuccess',
    'EndSilenceSuccess',
    'IntakeDecisionConnection',
    'InvestigateAlertGroupSuccess',
    'McpTool',
    'Runbook',
    'PageInfo',
    'ReliabilityBucket',
    'Report',
    'Review',
    'ReviewActivity',
    'ReviewSessionSuccess',
    'RevokeApiTokenSuccess',
    'SessionConnection',
    'SessionEdge',
    'SendChatMessageSuccess',
    'SessionFilterOptions',
    'SessionsChanged',
    'TokenUsage',
    'ToolOutput',
    'ToolCall',
    'Trace',
    'TraceExecution',
    'TraceStage',
    'TrackRecord',
    'AlertTooLargeError',
    'CancelSessionSuccess',
    'ConflictError',
    'ForbiddenError',
    'NotFoundError',
    'ShuttingDownError',
    'SilenceConnection',
    'SubmitAlertSuccess',
    'TooManyAlertsError',
    'ValidationError',
    'Viewer',
  ].map((name) => [name, () => null]),
);
