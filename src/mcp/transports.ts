import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { createOAuthProvider } from './authorization.ts';
import { createMcpFetch } from './http-fetch.ts';
import { createOpenRequests, ENDED_WITHOUT_ANSWER } from './open-requests.ts';
import { type ConnectionEnd, createStdioTransport } from './stdio-transport.ts';
import { createTrafficLimiter, type TrafficLimiter } from './traffic-limiter.ts';
import type { McpTransportSettings } from './types.ts';

export interface McpTransport extends ConnectionEnd {
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
    const { endReason, wasEndedByClient, waitForEndReason, lastWords } = transport;
    const end = { endReason, wasEndedByClient, waitForEndReason, lastWords };
    return { ...end, transport, terminateServerSession };
  }
  const guard = createGuard(traffic);
  const options = {
    fetch: createMcpFetch({ settings, ...guard }),
    ...(settings.oauth && { authProvider: createOAuthProvider(settings.oauth) }),
  };
  if (settings.type === 'sse') {
    const transport = guard.watch(new SSEClientTransport(new URL(settings.url), options));
    return { ...guard.end, transport, terminateServerSession };
  }
  const http = new StreamableHTTPClientTransport(new URL(settings.url), options);
  return {
    ...guard.end,
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
  let reason: string | null = null;
  let wasEndedByClient = false;
  const disconnect = (why: string | null, { endedByClient } = { endedByClient: true }) => {
    if (why === null || reason !== null) return;
    reason = why;
    wasEndedByClient = endedByClient;
    void transport?.close();
  };
  const requests = createOpenRequests(() => disconnect(ENDED_WITHOUT_ANSWER, { endedByClient: false }));
  return {
    traffic,
    requests,
    disconnect,
    end: {
      endReason: () => reason,
      wasEndedByClient: () => wasEndedByClient,
      waitForEndReason: async () => {},
      lastWords: () => '',
    },
    watch(watched: Transport): Transport {
      transport = watched;
      watched.onmessage = (message) => {
        disconnect(traffic.message(message));
      };
      watched.onerror = () => disconnect(traffic.noise());
      return watched;
    },
  };
}
