import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { startHttpMcp } from './http-server.ts';

/** The trace context of a call: the HTTP header `traceparent`, and the member of `_meta`. */
interface ReceivedContext {
  header: unknown;
  meta: unknown;
}

/** Starts an MCP server over HTTP whose tool `echo` notes the trace context of each call. */
export async function startTracedTools() {
  const received: ReceivedContext[] = [];
  const sessions: (string | undefined)[] = [];
  const createMcp = () => {
    const server = new McpServer({ name: 'traced-tools', version: '1.0.0' });
    const annotations = { readOnlyHint: true };
    server.registerTool('echo', { inputSchema: { text: z.string() }, annotations }, ({ text }, extra) => {
      received.push({ header: extra.requestInfo?.headers.traceparent, meta: extra._meta?.traceparent });
      sessions.push(extra.sessionId);
      return { content: [{ type: 'text', text: `echo: ${text}` }] };
    });
    return server;
  };
  const token = randomUUID();
  const server = await startHttpMcp(token, undefined, { createMcp });
  return {
    url: server.url,
    received,
    sessions,
    /** The server's entry in `mcp_servers`. */
    settings: { transport: { type: 'http', url: `${server.url}/mcp`, bearer_token: token } },
    close: server.close,
  };
}
