import { cacheExchange } from '@urql/exchange-graphcache';
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

/** Types without an id of their own live inside their parent. */
const embedded = Object.fromEntries(
  [
    'ActiveSessions',
    'AlertType',
    'McpTool',
    'Runbook',
    'PageInfo',
    'SessionConnection',
    'SessionEdge',
    'SendChatMessageSuccess',
    'SessionFilterOptions',
    'SessionsChanged',
    'TokenUsage',
    'ToolCall',
    'Trace',
    'TraceExecution',
    'TraceStage',
    'AlertTooLargeError',
    'CancelSessionSuccess',
    'ConflictError',
    'NotFoundError',
    'ShuttingDownError',
    'SubmitAlertSuccess',
    'TooManyAlertsError',
    'ValidationError',
    'Viewer',
  ].map((name) => [name, () => null]),
);
