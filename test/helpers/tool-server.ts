import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

/** A well-behaved MCP server over stdio for tests: run it with Node. */
const server = new McpServer({ name: 'test-tools', version: '1.0.0' });

const text = (content: string, isError = false) => ({
  content: [{ type: 'text' as const, text: content }],
  isError,
});

server.registerTool(
  'echo',
  {
    description: 'Says the text again',
    inputSchema: { text: z.string() },
    annotations: { readOnlyHint: true },
  },
  ({ text: said }) => text(`echo: ${said}`),
);
server.registerTool(
  'count_lines',
  {
    description: 'Counts to n, a line each',
    inputSchema: { n: z.number().int() },
    annotations: { readOnlyHint: true },
  },
  ({ n }) => text(Array.from({ length: n }, (_, line) => `line ${line + 1}`).join('\n')),
);
server.registerTool('fail', { description: 'Fails' }, () => text('this tool always fails', true));
server.registerTool('hang', { description: 'Never answers' }, () => new Promise(() => {}));

await server.connect(new StdioServerTransport());
