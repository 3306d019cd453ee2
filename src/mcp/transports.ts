import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { oauthProvider } from './authorization.ts';
import { createMcpFetch } from './http-fetch.ts';
import { createOpenRequests, UNANSWERED } from './open-requests.ts';
import { createStdioTransport, type EndReason } from './stdio-transport.ts';
import { createTraffic, type Traffic } from './traffic-limiter.ts';
import type { McpTransportSettings, RemoteTransportSettings } from './types.ts';

/** A transport of any kind, with what differs between the kinds. */
export interface McpTransport extends EndReason {
  transport: Transport;
  /** Whether the server keeps something about this connection that it can lose. */
  keepsSession(): boolean;
  /** Says goodbye where the protocol has a way to (a session kept by an HTTP server); may fail or hang. */
  farewell(): Promise<void>;
}

/** Builds the transport that the settings describe; nothing is started or connected yet. */
export function createTransport(
  settings: McpTransportSettings,
  onStderr: (line: string) => void,
): McpTransport {
  const traffic = createTraffic();
  switch (settings.type) {
    case 'stdio': {
      const transport = createStdioTransport(settings, onStderr, traffic);
      const { endReason, isCutOff, ending, lastWords } = transport;
      const told = { endReason, isCutOff, ending, lastWords };
      return { ...told, transport, keepsSession: () => false, farewell: async () => {} };
    }
    case 'http': {
      const guard = createGuard(traffic);
      const http = new StreamableHTTPClientTransport(new URL(settings.url), httpOptions(settings, guard));
      // The class declares optional members that may be undefined, which the interface it implements does not.
      const transport = guard.watch(http as Transport);
      const keepsSession = () => http.sessionId !== undefined;
      return { ...guard.told, transport, keepsSession, farewell: () => http.terminateSession() };
    }
    case 'sse': {
      const guard = createGuard(traffic);
      const sse: Transport = new SSEClientTransport(new URL(settings.url), httpOptions(settings, guard));
      return {
        ...guard.told,
        transport: guard.watch(sse),
        keepsSession: () => true,
        farewell: async () => {},
      };
    }
  }
}

/** Ends a connection over HTTP when what it brings is too much. */
function createGuard(traffic: Traffic) {
  let transport: Transport | null = null;
  let reason: string | null = null;
  const breakOff = (why: string | null) => {
    if (why === null || reason !== null) return;
    reason = why;
    void transport?.close();
  };
  const requests = createOpenRequests(() => breakOff(UNANSWERED));
  return {
    traffic,
    requests,
    breakOff,
    told: {
      endReason: () => reason,
      isCutOff: () => reason !== null && reason !== UNANSWERED,
      ending: async () => {},
      lastWords: () => '',
    },
    watch(watched: Transport): Transport {
      transport = watched;
      watched.onmessage = (message) => {
        requests.received(message);
        breakOff(traffic.message(message));
      };
      watched.onerror = () => breakOff(traffic.noise());
      return watched;
    },
  };
}

function httpOptions(settings: RemoteTransportSettings, guard: ReturnType<typeof createGuard>) {
  return {
    fetch: createMcpFetch({ settings, ...guard }),
    ...(settings.oauth ? { authProvider: oauthProvider(settings.oauth) } : {}),
  };
}
