import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

/**
 * An MCP server over stdio with read-only tools. The first argument is their number; the others are names of
 * additional tools.
 */
const [count = '1', ...named] = process.argv.slice(2);
const server = new McpServer({ name: 'many', version: '1.0.0' });
const names = [...Array.from({ length: Number(count) }, (_, index) => `metric_${index}`), ...named];
for (const name of names)
  server.registerTool(
    name,
    {
      description: `Shows ${name.replaceAll('_', ' ')}`,
      inputSchema: { window: z.string().optional() },
      annotations: { readOnlyHint: true },
    },
    () => ({ content: [{ type: 'text', text: `${name} is 1` }] }),
  );
await server.connect(new StdioServerTransport());
