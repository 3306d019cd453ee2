import type { ServerResponse } from 'node:http';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Viewer } from '../access/viewer.ts';
import { NOT_ACCEPTABLE } from './request-checks.ts';
import { type ClientConnections, TOO_MANY_CONNECTIONS } from './streams/client-connections.ts';
import type { CredentialWatch } from './streams/credential-expiry.ts';
import { createEventStream, type EventStream, type EventStreamDeps } from './streams/event-stream.ts';
import type { Sink } from './streams/subscriber.ts';

type ResultProcessor = NonNullable<
  Parameters<Parameters<NonNullable<Plugin['onResultProcess']>>[0]['setResultProcessor']>[0]
>;

/**
 * Sends subscriptions as server-sent events, replacing yoga's implementation. Each message has its cursor as event id,
 * and live messages are the same bytes for all clients. When the server stops, no `complete` is sent, so that clients
 * reconnect.
 */
export function ssePlugin(
  deps: EventStreamDeps & { clients: ClientConnections; credentials: CredentialWatch },
): Plugin<{ res?: ServerResponse; sink?: Sink; viewer: Viewer }> {
  const streams = new WeakMap<Request, EventStream>();
  return {
    onSubscribe({ args: { contextValue }, setResultAndStopExecution }) {
      const { request, res, viewer } = contextValue as {
        request?: Request;
        res?: ServerResponse;
        viewer: Viewer;
      };
      if (contextValue.sink || !request || !res) return;
      if (!takesEventStream(request)) return setResultAndStopExecution({ errors: [NOT_A_STREAM] });
      const leave = deps.clients.enter(res.req);
      if (leave === null) return setResultAndStopExecution({ errors: [TOO_MANY] });
      const unwatch = deps.credentials.watch(viewer, () => res.destroy());
      const gone = () => {
        leave();
        unwatch();
      };
      // The client may have left during authentication; its `close` event has then already fired.
      if (res.closed) gone();
      else res.once('close', gone);
      const stream = createEventStream(res, deps);
      streams.set(request, stream);
      contextValue.sink = stream.sink;
    },
    onResultProcess({ request, result, setResultProcessor }) {
      const stream = streams.get(request);
      if (stream && Symbol.asyncIterator in result) {
        setResultProcessor(sendResults(stream), 'text/event-stream');
      }
    },
  };
}

function takesEventStream(request: Request): boolean {
  return /text\/event-stream|\*\/\*/.test(request.headers.get('accept') ?? '*/*');
}

const NOT_A_STREAM = new GraphQLError(NOT_ACCEPTABLE, {
  extensions: { code: 'NOT_ACCEPTABLE', http: { status: 406 } },
});

const TOO_MANY = new GraphQLError(TOO_MANY_CONNECTIONS.message, {
  extensions: { code: TOO_MANY_CONNECTIONS.code, http: { status: TOO_MANY_CONNECTIONS.status } },
});

function sendResults(stream: EventStream): ResultProcessor {
  return (results, { Response }) =>
    new Response(stream.body(results as AsyncIterable<ExecutionResult>) as unknown as BodyInit, {
      headers: {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-cache, no-transform',
        'X-Accel-Buffering': 'no', // keeps nginx from buffering events
      },
    });
}
