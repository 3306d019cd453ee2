import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { useServer as serveSubscriptions } from 'graphql-ws/use/ws';
import { createSchema, createYoga, Repeater } from 'graphql-yoga';
import { WebSocketServer } from 'ws';
import type { SessionEvent, SessionOutcome, SubmitResult } from '../../../src/cli/contract.ts';
import { freePort } from '../free-port.ts';

/** The part of the public GraphQL schema that the command uses. */
const TYPE_DEFS = /* GraphQL */ `
  scalar JSON
  interface Error { message: String! code: String! }
  type Session { id: ID! status: String! queuePosition: Int errorMessage: String finalAnalysis: String
    executiveSummary: String executiveSummaryError: String durationMs: Int report: Report tokenUsage: TokenUsage! }
  type Report { verdict: String! headline: String! confidence: Float! evidenceScore: Float claims: [Claim!]! }
  type Claim { kind: String! text: String! status: String! problem: String onlyUntrusted: Boolean! citations: [Citation!]! facts: [ClaimFact!]! }
  type ClaimFact { subject: String! attribute: String! value: String! unit: String negated: Boolean! window: String filter: String
    status: String! problem: String }
  type Citation { source: String! quote: String! status: String! }
  type TokenUsage { inputTokens: Float! outputTokens: Float! thinkingTokens: Float! totalTokens: Float! }
  type Stage { id: ID! name: String! index: Int! type: String! status: String! expectedAgentCount: Int! errorMessage: String }
  type AgentExecution { id: ID! agentName: String! status: String! llmProvider: String modelName: String errorMessage: String }
  type TimelineEvent { id: ID! sequenceNumber: Int! type: String! status: String! content: String! metadata: JSON execution: AgentExecution }
  type AlertType { name: String! }
  input SubmitAlertInput { data: String! alertType: String runbookUrl: String }
  type SubmitAlertSuccess { notes: [String!]! session: Session! }
  type ValidationError implements Error { message: String! code: String! field: String }
  type AlertTooLargeError implements Error { message: String! code: String! maxBytes: Int! actualBytes: Int! }
  type ShuttingDownError implements Error { message: String! code: String! }
  union SubmitAlertResult = SubmitAlertSuccess | ValidationError | AlertTooLargeError | ShuttingDownError
  type Query { session(id: ID!): Session alertTypes: [AlertType!]! }
  type Mutation { submitAlert(input: SubmitAlertInput!): SubmitAlertResult! }
  interface SessionEvent { sessionId: ID! cursor: String at: String! }
  type SessionStatusChanged implements SessionEvent { sessionId: ID! cursor: String at: String! session: Session! }
  type StageStatusChanged implements SessionEvent { sessionId: ID! cursor: String at: String! stage: Stage! }
  type ExecutionStatusChanged implements SessionEvent { sessionId: ID! cursor: String at: String! execution: AgentExecution! }
  type TimelineEventCreated implements SessionEvent { sessionId: ID! cursor: String at: String! timelineEvent: TimelineEvent! }
  type TimelineEventCompleted implements SessionEvent { sessionId: ID! cursor: String at: String! timelineEvent: TimelineEvent! }
  type CaughtUp implements SessionEvent { sessionId: ID! cursor: String at: String! }
  type StreamChunk implements SessionEvent { sessionId: ID! cursor: String at: String! timelineEventId: ID! offset: Int! delta: String! }
  type Subscription { sessionEvents(sessionId: ID!, after: String): SessionEvent! }
`;

type EventBody = SessionEvent extends infer E
  ? E extends unknown
    ? Omit<E, 'sessionId' | 'cursor' | 'at'>
    : never
  : never;

/** A scripted server that implements the schema over real HTTP and WebSocket. */
export interface TestServer {
  url: string;
  /** Stores an event and sends it to the subscribers. */
  publish(event: EventBody): void;
  /** Sends a piece of a growing text. A later subscriber first receives the text so far. */
  stream(timelineEventId: string, delta: string): void;
  /** Cuts every WebSocket connection. */
  dropConnections(): void;
  /** The inputs of all submissions. */
  submitted: Record<string, unknown>[];
  /** The `after` arguments of all subscriptions. */
  resumedFrom: (string | null)[];
  /** Resolves once there have been `count` subscriptions. */
  subscribed(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface TestServerOptions {
  port?: number;
  /** Path of the endpoint. @default `/graphql` */
  path?: string;
  submit?: (input: Record<string, unknown>) => SubmitResult;
  outcome?: Partial<SessionOutcome>;
  /** Error that subscribers get in place of events. */
  subscribeError?: Error;
}

export const SESSION_ID = Buffer.from('Session:018f0000-0000-7000-8000-000000000001').toString('base64');

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const log = createLog(options);
  const submitted: Record<string, unknown>[] = [];
  const { path = '/graphql' } = options;
  const yoga = createYoga({
    graphqlEndpoint: path,
    logging: false,
    maskedErrors: false,
    schema: createTestSchema(options, log, submitted),
  });
  const http = createServer(yoga);
  const sockets = new Set<Socket>();
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const wss = new WebSocketServer({ server: http, path });
  const disposable = serveSubscriptions({ schema: (await yoga.getEnveloped({})).schema }, wss);
  http.listen(options.port ?? (await freePort()), '127.0.0.1');
  await once(http, 'listening');

  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}${path}`,
    publish: log.publish,
    stream: log.stream,
    dropConnections() {
      for (const client of wss.clients) client.terminate();
    },
    submitted,
    resumedFrom: log.resumedFrom,
    subscribed: log.subscribed,
    async close() {
      for (const socket of sockets) socket.destroy();
      await disposable.dispose();
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
}

function createTestSchema(
  options: TestServerOptions,
  log: ReturnType<typeof createLog>,
  submitted: Record<string, unknown>[],
) {
  const accept = (): SubmitResult => ({
    __typename: 'SubmitAlertSuccess',
    notes: [],
    session: { id: SESSION_ID, status: 'PENDING', queuePosition: 1 },
  });
  return createSchema({
    typeDefs: TYPE_DEFS,
    resolvers: {
      Query: {
        session: () => ({ ...DEFAULT_OUTCOME, ...options.outcome }),
        alertTypes: () => [{ name: 'host' }, { name: 'kubernetes' }],
      },
      Mutation: {
        submitAlert(_: unknown, { input }: { input: Record<string, unknown> }) {
          submitted.push(input);
          return (options.submit ?? accept)(input);
        },
      },
      Subscription: {
        sessionEvents: {
          subscribe: (_: unknown, { after }: { after: string | null }) => log.subscribe(after ?? null),
          resolve: (event: unknown) => event,
        },
      },
    },
  });
}

const DEFAULT_OUTCOME: SessionOutcome = {
  status: 'COMPLETED',
  errorMessage: null,
  finalAnalysis: null,
  executiveSummary: null,
  executiveSummaryError: null,
  durationMs: 12_340,
  report: null,
  tokenUsage: { inputTokens: 1_000, outputTokens: 234, thinkingTokens: 0, totalTokens: 1_234 },
};

/**
 * Creates an event log that replays stored events with cursors and live pieces of text without cursors, as
 * the API does.
 */
function createLog({ subscribeError }: TestServerOptions) {
  const events: SessionEvent[] = [];
  const growing = new Map<string, string>();
  const watchers = new Set<(event: SessionEvent) => void>();
  const resumedFrom: (string | null)[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const at = '2026-11-21T00:00:00.000Z';
  const chunk = (timelineEventId: string, offset: number, delta: string): SessionEvent => ({
    __typename: 'StreamChunk',
    ...{ sessionId: SESSION_ID, cursor: null, at, timelineEventId, offset, delta },
  });
  return {
    resumedFrom,
    publish(body: EventBody) {
      const event = { ...body, sessionId: SESSION_ID, cursor: String(events.length + 1), at } as SessionEvent;
      if (event.__typename === 'TimelineEventCompleted') growing.delete(event.timelineEvent.id);
      events.push(event);
      for (const watcher of watchers) watcher(event);
    },
    stream(timelineEventId: string, delta: string) {
      const text = growing.get(timelineEventId) ?? '';
      growing.set(timelineEventId, text + delta);
      for (const watcher of watchers) watcher(chunk(timelineEventId, text.length, delta));
    },
    subscribe(after: string | null) {
      return new Repeater<SessionEvent>(async (push, stop) => {
        if (subscribeError !== undefined) throw subscribeError;
        for (const event of events.slice(Number(after ?? 0))) void push(event);
        void push({ __typename: 'CaughtUp', sessionId: SESSION_ID, cursor: String(events.length), at });
        for (const [id, text] of growing) void push(chunk(id, 0, text));
        const watcher = (event: SessionEvent) => void push(event);
        watchers.add(watcher);
        resumedFrom.push(after);
        for (const { count, resolve } of waiting) if (resumedFrom.length >= count) resolve();
        await stop;
        watchers.delete(watcher);
      });
    },
    async subscribed(count: number) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (resumedFrom.length >= count) resolve();
      else waiting.push({ count, resolve });
      await promise;
    },
  };
}
