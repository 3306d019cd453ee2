import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';
import { listenOn } from './listen.ts';

export interface HttpMcpServer {
  /** Streamable HTTP is at /mcp, SSE at /sse. */
  url: string;
  /** `METHOD /path` of every request with the correct token. */
  requests: string[];
  /** Loses all sessions, as a restart of the server does. Later requests of lost sessions get this status. */
  forget(status?: 400 | 404 | 503): void;
  close(): Promise<void>;
}

function echoServer(): McpServer {
  const server = new McpServer({ name: 'http-echo', version: '1.0.0' });
  const annotations = { readOnlyHint: true };
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
  server.registerTool('echo', { inputSchema: { text: z.string() }, annotations }, (args) => text(args.text));
  server.registerTool('note', { inputSchema: { text: z.string() } }, (args) => text(`noted: ${args.text}`));
  server.registerTool('huge', { annotations }, () => text('h'.repeat(11 * 1024 * 1024)));
  return server;
}

/**
 * Starts a correct MCP server over HTTP that requires the given bearer token. Uses TLS if a key and
 * certificate are given.
 * @param options.createMcp creates a server for each session; default: one with `echo`, `note` (not
 * idempotent) and `huge`
 */
export async function startHttpMcp(
  token: string,
  tls?: { key: string; cert: string },
  options: { createMcp?: () => McpServer; port?: number } = {},
): Promise<HttpMcpServer> {
  const { createMcp = echoServer } = options;
  const streams = new Map<string, StreamableHTTPServerTransport>();
  const events = new Map<string, SSEServerTransport>();
  const requests: string[] = [];
  let lostStatus: 400 | 404 | 503 = 404;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end('secret of the server');
      return;
    }
    const url = new URL(request.url ?? '/', 'http://localhost');
    requests.push(`${request.method} ${url.pathname}`);
    if (url.pathname === '/mcp') return streamable(request, response);
    if (url.pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response);
      events.set(transport.sessionId, transport);
      return createMcp().connect(transport);
    }
    const known = events.get(url.searchParams.get('sessionId') ?? '');
    if (known === undefined) response.writeHead(lostStatus).end();
    else await known.handlePostMessage(request, response);
  }

  async function streamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? streams.get(id) : undefined;
    if (id !== undefined && known === undefined) {
      response.writeHead(lostStatus).end();
      return;
    }
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => {
        streams.set(session, transport);
      },
    });
    await createMcp().connect(transport as Transport);
    await transport.handleRequest(request, response);
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch(() => response.destroy());
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  const port = await listenOn(server, options.port);
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    forget(status = 404) {
      lostStatus = status;
      streams.clear();
      events.clear();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
