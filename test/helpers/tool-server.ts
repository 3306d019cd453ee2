import { appendFile } from 'node:fs/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

/**
 * A well-behaved MCP server over stdio for tests: run it with Node. Appends a line for each call of `note` to the file
 * TOOL_LOG, so that a test can tell how often it really ran.
 */
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
server.registerTool(
  'note',
  {
    description: 'Writes the text down; says nothing about being harmless',
    inputSchema: { text: z.string() },
  },
  async ({ text: said }) => {
    if (process.env.TOOL_LOG) await appendFile(process.env.TOOL_LOG, `${said}\n`);
    return text(`noted: ${said}`);
  },
);
server.registerTool('fail', { description: 'Fails' }, () => text('this tool always fails', true));
server.registerTool('hang', { description: 'Never answers' }, () => new Promise(() => {}));

await server.connect(new StdioServerTransport());
