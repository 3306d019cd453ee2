import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';

/** Path of the host MCP server's program. */
export const HOST_SERVER = fileURLToPath(new URL('../../../src/mcp-servers/host.ts', import.meta.url));

export interface HostClient {
  client: Client;
  /** Calls a tool and returns its text. */
  call(name: string, args?: Record<string, unknown>): Promise<{ text: string; isError: boolean }>;
  close(): Promise<void>;
}

/** Starts the host server as its own process and connects with the SDK's client. */
export async function startHost(env: Record<string, string> = {}): Promise<HostClient> {
  const client = new Client({ name: 'host-test', version: '1.0.0' });
  const transport = new StdioClientTransport({ command: process.execPath, args: [HOST_SERVER], env });
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
