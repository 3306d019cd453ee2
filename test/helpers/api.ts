import { type Client, createClient } from 'graphql-ws';
import WebSocket from 'ws';

/** A client of the API over real HTTP and WebSocket. */
export interface ApiClient {
  /** @throws Error with the GraphQL errors, if there are any */
  query<T>(document: string, variables?: Record<string, unknown>): Promise<T>;
  /** Submits an alert. Returns the session's global id. */
  submit(data: string, more?: Record<string, unknown>): Promise<string>;
  /** Yields the items of a subscription over its own WebSocket. */
  subscribe<T>(document: string, variables?: Record<string, unknown>): AsyncIterableIterator<T>;
  /** Resolves with the session once `until` is true. Uses a subscription, not polling. */
  waitFor(id: string, until: (session: SessionView) => boolean): Promise<SessionView>;
}

export interface SessionView {
  id: string;
  status: string;
  errorMessage: string | null;
  finalAnalysis: string | null;
  executiveSummary: string | null;
  executiveSummaryError: string | null;
}

const SESSION_FIELDS = 'id status errorMessage finalAnalysis executiveSummary executiveSummaryError';

export const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT']);

/** `headers` are sent with every request and with the WebSocket upgrade. */
export function apiClient(url: string, headers: Record<string, string> = {}): ApiClient {
  class Socket extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols, { headers });
    }
  }
  const client: ApiClient = {
    async query<T>(document: string, variables: Record<string, unknown> = {}) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: document, variables }),
      });
      const answer = (await response.json()) as { data?: T; errors?: unknown };
      if (answer.errors) throw new Error(JSON.stringify(answer.errors));
      return answer.data as T;
    },
    async submit(data, more = {}) {
      const answer = await client.query<{ submitAlert: { session?: { id: string } } }>(
        `mutation ($input: SubmitAlertInput!) { submitAlert(input: $input) {
           ... on SubmitAlertSuccess { session { id } } ... on Error { message code } } }`,
        { input: { data, ...more } },
      );
      if (!answer.submitAlert.session) throw new Error(JSON.stringify(answer.submitAlert));
      return answer.submitAlert.session.id;
    },
    subscribe<T>(document: string, variables: Record<string, unknown> = {}) {
      const socket = createClient({
        url: `${url.replace('http', 'ws')}/graphql`,
        webSocketImpl: Socket,
        retryAttempts: 0,
      });
      return unwrap<T>(socket.iterate({ query: document, variables }), () => void socket.dispose());
    },
    async waitFor(id, until) {
      const items = client.subscribe<{ sessionEvents: { session?: SessionView } }>(
        `subscription ($id: ID!) { sessionEvents(sessionId: $id) {
           ... on SessionStatusChanged { session { ${SESSION_FIELDS} } } } }`,
        { id },
      );
      for await (const { sessionEvents } of items) {
        if (sessionEvents.session && until(sessionEvents.session)) return sessionEvents.session;
      }
      throw new Error('the subscription ended first');
    },
  };
  return client;
}

async function* unwrap<T>(results: ReturnType<Client['iterate']>, dispose: () => void): AsyncGenerator<T> {
  try {
    for await (const { data, errors } of results) {
      if (errors) throw new Error(JSON.stringify(errors));
      yield data as T;
    }
  } finally {
    dispose();
  }
}
