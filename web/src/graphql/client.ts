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
import { subscribeDurably } from './durable-subscription.ts';
import { possibleTypes } from './gen/documents.ts';
import type { SignIn } from './sign-in.ts';
import type { Socket } from './socket.ts';

/**
 * The one way to the API: queries and mutations over HTTP, subscriptions over the socket and its reconnections, and a normalized
 * cache, which what is asked for with `PAST_CACHE` has no part in.
 */
export function createClient(socket: Socket, signIn: SignIn): Client {
  return new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetch: signIn.fetch,
    exchanges: [
      pastCache(cacheExchange({ possibleTypes, keys: embedded })),
      retryExchange(RETRIES),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: subscribeDurably(
              socket.client,
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

/** For thousands of objects and for words that stream, which one page folds by itself. Whoever asks so asks again by themselves. */
export const PAST_CACHE = { requestPolicy: 'network-only', pastCache: true } as const;

const isPastCache = ({ context }: Operation): boolean => context.pastCache === true;

function pastCache(cache: Exchange): Exchange {
  return (input) => {
    const cached = cache(input);
    return (operations$) => {
      const all$ = share(operations$);
      const past$ = pipe(all$, filter(isPastCache));
      const rest$ = pipe(
        all$,
        filter((operation) => !isPastCache(operation)),
      );
      return merge([cached(rest$), input.forward(past$)]);
    };
  };
}

/** What a proxy answers while the server behind it starts or is overloaded; whoever waits longer than these is told. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** After half a second, then with growing pauses, for several seconds in all. Mutations may have been done: never them. */
const RETRIES: RetryExchangeOptions = {
  initialDelayMs: 500,
  maxDelayMs: 8_000,
  maxNumberAttempts: 5,
  retryIf: ({ response }, operation) =>
    operation.kind === 'query' &&
    !isPastCache(operation) &&
    AWAY.has((response as Response | undefined)?.status ?? 0),
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
