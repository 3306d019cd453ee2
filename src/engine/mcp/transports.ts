import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createMcpFetch } from './http-fetch.ts';
import { createStdioTransport } from './stdio-transport.ts';
import type { McpTransportSettings } from './types.ts';

/** A transport of any kind, with what differs between the kinds. */
export interface McpTransport {
  transport: Transport;
  /** Why the connection ended, in words, as far as the transport knows. */
  endReason(): string | null;
  /** Says goodbye where the protocol has a way to (a session kept by an HTTP server); may fail or hang. */
  farewell(): Promise<void>;
}

/** Builds the transport that the settings describe; nothing is started or connected yet. */
export function createTransport(
  settings: McpTransportSettings,
  onStderr: (line: string) => void,
): McpTransport {
  switch (settings.type) {
    case 'stdio': {
      const transport = createStdioTransport(settings, onStderr);
      return { transport, endReason: transport.endReason, farewell: () => Promise.resolve() };
    }
    case 'http': {
      const http = new StreamableHTTPClientTransport(new URL(settings.url), httpOptions(settings));
      // The class declares optional members that may be undefined, which the interface it implements does not.
      return { transport: http as Transport, endReason: () => null, farewell: () => http.terminateSession() };
    }
    case 'sse': {
      const transport: Transport = new SSEClientTransport(new URL(settings.url), httpOptions(settings));
      return { transport, endReason: () => null, farewell: () => Promise.resolve() };
    }
  }
}

function httpOptions(settings: Exclude<McpTransportSettings, { type: 'stdio' }>) {
  const headers = new Headers(settings.headers);
  if (settings.bearerToken !== undefined) headers.set('authorization', `Bearer ${settings.bearerToken}`);
  return {
    fetch: createMcpFetch(settings.verifySsl ?? true),
    requestInit: { headers: Object.fromEntries(headers) },
  };
}
