import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { createOAuthProvider } from './authorization.ts';
import { type ConnectionEnd, createEndRecord } from './connection-end.ts';
import { createMcpFetch } from './http-fetch.ts';
import { createOpenRequests, ENDED_WITHOUT_ANSWER } from './open-requests.ts';
import { type ConnectionState, createStdioTransport } from './stdio-transport.ts';
import { createTrafficLimiter, type TrafficLimiter } from './traffic-limiter.ts';
import type { McpTransportSettings } from './types.ts';

export interface McpTransport extends ConnectionState {
  transport: Transport;
  /** Asks a Streamable HTTP server to end its session; does nothing over stdio or SSE. May fail or hang. */
  terminateServerSession(): Promise<void>;
}

export function createTransport(
  settings: McpTransportSettings,
  onStderr: (line: string) => void,
): McpTransport {
  const traffic = createTrafficLimiter();
  const terminateServerSession = async () => {};
  if (settings.type === 'stdio') {
    const transport = createStdioTransport(settings, onStderr, traffic);
    const { end, waitForEnd, lastWords } = transport;
    return { end, waitForEnd, lastWords, transport, terminateServerSession };
  }
  const guard = createGuard(traffic);
  const options = {
    fetch: createMcpFetch({ settings, ...guard }),
    ...(settings.oauth && { authProvider: createOAuthProvider(settings.oauth) }),
  };
  if (settings.type === 'sse') {
    const transport = guard.watch(new SSEClientTransport(new URL(settings.url), options));
    return { ...guard.state, transport, terminateServerSession };
  }
  const http = new StreamableHTTPClientTransport(new URL(settings.url), options);
  return {
    ...guard.state,
    // A cast, because optional members of the class may be undefined, unlike those of its interface.
    transport: guard.watch(http as Transport),
    terminateServerSession: () => http.terminateSession(),
  };
}

/**
 * Ends a connection over HTTP when the server exceeds the traffic limits, never answers a request or ended its session.
 */
function createGuard(traffic: TrafficLimiter) {
  let transport: Transport | null = null;
  const { end, record } = createEndRecord();
  const disconnect = (ended: ConnectionEnd) => {
    record(ended);
    void transport?.close();
  };
  const limit = (excess: string | null) => {
    if (excess !== null) disconnect({ reason: excess, byClient: true });
  };
  const requests = createOpenRequests(() => disconnect({ reason: ENDED_WITHOUT_ANSWER, byClient: false }));
  return {
    traffic,
    requests,
    disconnect,
    state: { end, waitForEnd: async () => {}, lastWords: () => '' },
    watch(watched: Transport): Transport {
      transport = watched;
      watched.onmessage = (message) => limit(traffic.message(message));
      watched.onerror = () => limit(traffic.noise());
      return watched;
    },
  };
}
