import { cacheExchange } from '@urql/exchange-graphcache';
import { type RetryExchangeOptions, retryExchange } from '@urql/exchange-retry';
import {
  Client,
  type Exchange,
  type ExecutionResult,
  fetchExchange,
  type Operation,
  subscriptionExchange,
} from 'urql';
import { filter, merge, pipe, share } from 'wonka';
import { SUB_PATH } from '../lib/sub-path.ts';
import { subscribeDurably } from './durable-subscription.ts';
import { possibleTypes } from './gen/documents.ts';
import type { LiveConnection } from './live-connection.ts';
import type { SignIn } from './sign-in.ts';

/**
 * Creates the client for all API access: queries and mutations over HTTP, subscriptions over the live connection, and a
 * normalized cache. Requests with `UNCACHED` bypass the cache.
 */
export function createClient(live: LiveConnection, signIn: SignIn): Client {
  return new Client({
    url: `${SUB_PATH}/graphql`,
    preferGetMethod: false,
    fetch: signIn.fetch,
    exchanges: [
      uncached(cacheExchange({ possibleTypes, keys: embedded })),
      retryExchange(RETRIES),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: subscribeDurably(
              live,
              { query: query ?? '', variables: (variables ?? {}) as Record<string, unknown> },
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

/**
 * Request options that bypass the cache and the retries. For answers with thousands of objects and for streamed text:
 * their pages store the data and retry the requests themselves.
 */
export const UNCACHED = { requestPolicy: 'network-only', uncached: true } as const;

const isUncached = ({ context }: Operation): boolean => context.uncached === true;

function uncached(cache: Exchange): Exchange {
  return (input) => {
    const cachedExchange = cache(input);
    return (operations$) => {
      const all$ = share(operations$);
      const past$ = pipe(all$, filter(isUncached));
      const rest$ = pipe(
        all$,
        filter((operation) => !isUncached(operation)),
      );
      return merge([cachedExchange(rest$), input.forward(past$)]);
    };
  };
}

/** HTTP statuses with which a proxy reports that the server behind it starts or is overloaded. */
const UNAVAILABLE_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Retries queries for several seconds, with growing pauses. Never retries mutations, because they may have run. */
const RETRIES: RetryExchangeOptions = {
  initialDelayMs: 500,
  maxDelayMs: 8_000,
  maxNumberAttempts: 5,
  retryIf: ({ response }, operation) =>
    operation.kind === 'query' &&
    !isUncached(operation) &&
    UNAVAILABLE_STATUSES.has((response as Response | undefined)?.status ?? 0),
};

/** Types without an id; the cache therefore stores their objects inside the parent object. */
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
    'ClaimFact',
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
    'ComparedClaim',
    'RunScheduleSuccess',
    'Schedule',
    'SessionComparison',
    'DeleteViewSuccess',
    'SaveViewSuccess',
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
    'CancelSessionsSuccess',
    'ConflictError',
    'ForbiddenError',
    'NotFoundError',
    'RunSessionNowSuccess',
    'ShuttingDownError',
    'SilenceConnection',
    'SilenceExistsError',
    'SilencePreview',
    'SubmitAlertSuccess',
    'SystemState',
    'TooManyAlertsError',
    'ValidationError',
    'Viewer',
    'Waiting',
    'WaitingWork',
  ].map((name) => [name, () => null]),
);
