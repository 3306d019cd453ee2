import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useServer as serveSockets } from 'graphql-ws/use/ws';
import { createPubSub, createSchema, createYoga } from 'graphql-yoga';
import pg from 'pg';
import { WebSocketServer } from 'ws';

/**
 * A baseline server: Yoga and graphql-ws combined as in their documentation, where each subscriber executes
 * and serializes on its own.
 */
interface Piece {
  timelineEventId: string;
  offset: number;
  delta: string;
}
const pubSub = createPubSub<{ piece: [Piece] }>();
const schema = createSchema({
  typeDefs: `
    interface SessionEvent { sessionId: ID! cursor: String at: String! }
    type CaughtUp implements SessionEvent { sessionId: ID! cursor: String at: String! }
    type StreamChunk implements SessionEvent {
      sessionId: ID! cursor: String at: String! timelineEventId: ID! offset: Int! delta: String! }
    type Query { hello: String }
    type Subscription { sessionEvents(sessionId: ID!, after: String): SessionEvent! }`,
  resolvers: {
    SessionEvent: { __resolveType: (event: object) => ('delta' in event ? 'StreamChunk' : 'CaughtUp') },
    Subscription: {
      sessionEvents: {
        async *subscribe() {
          const pieces = pubSub.subscribe('piece');
          yield { cursor: null };
          yield* pieces;
        },
        resolve: (event: object) => event,
      },
    },
  },
});
const yoga = createYoga({ schema, logging: false });
const http = createServer(yoga);
const sockets = new WebSocketServer({ server: http, path: '/graphql' });
type Run = Pick<ReturnType<typeof yoga.getEnveloped>, 'execute' | 'subscribe'>;
serveSockets(
  {
    execute: (args) => (args.rootValue as Run).execute(args),
    subscribe: (args) => (args.rootValue as Run).subscribe(args),
    onSubscribe: async (ctx, _id, params) => {
      const { schema, execute, subscribe, contextFactory, parse, validate } = yoga.getEnveloped({
        ...ctx,
        req: ctx.extra.request,
        socket: ctx.extra.socket,
        params,
      });
      const args = {
        schema,
        operationName: params.operationName,
        document: parse(params.query),
        variableValues: params.variables,
        contextValue: await contextFactory(),
        rootValue: { execute, subscribe },
      };
      const errors = validate(args.schema, args.document);
      return errors.length > 0 ? errors : args;
    },
  },
  sockets,
);
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
client.on('notification', ({ payload }) => {
  const { t, o, d } = JSON.parse(payload ?? '') as { t: string; o: number; d: string };
  pubSub.publish('piece', { timelineEventId: t, offset: o, delta: d });
});
await client.query('listen tarsy_chunk');
http.listen(0, '127.0.0.1', () => process.send!({ port: (http.address() as AddressInfo).port }));
