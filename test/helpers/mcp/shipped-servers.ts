import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';

/** Path of the host MCP server's program. */
export const HOST_SERVER = fileURLToPath(new URL('../../../src/mcp-servers/host.ts', import.meta.url));

/** Path of the changes MCP server's program. */
const CHANGES_SERVER = fileURLToPath(new URL('../../../src/mcp-servers/changes.ts', import.meta.url));

export interface ShippedServer {
  client: Client;
  /** Calls a tool and returns its text. */
  call(name: string, args?: Record<string, unknown>): Promise<{ text: string; isError: boolean }>;
  close(): Promise<void>;
}

/** Starts the host server as its own process and connects with the SDK's client. */
export const startHost = (env: Record<string, string> = {}): Promise<ShippedServer> =>
  startServer(HOST_SERVER, env);

/** Starts the changes server as its own process and connects with the SDK's client. */
export const startChanges = (env: Record<string, string> = {}): Promise<ShippedServer> =>
  startServer(CHANGES_SERVER, env);

async function startServer(program: string, env: Record<string, string>): Promise<ShippedServer> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({ command: process.execPath, args: [program], env });
  await client.connect(transport);
  return {
    client,
    async call(name, args = {}) {
      const result = await client.request(
        { method: 'tools/call', params: { name, arguments: args } },
        CallToolResultSchema,
      );
      const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      return { text, isError: result.isError ?? false };
    },
    close: () => client.close(),
  };
}
