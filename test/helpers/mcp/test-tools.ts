import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

const text = (content: string, isError = false) => ({
  content: [{ type: 'text' as const, text: content }],
  isError,
});

/**
 * Creates a correct MCP server for tests.
 * @param write called by `note`, so that a test can count its executions
 * @param long adds a tool with long results
 */
export function createTestTools(write: (text: string) => void | Promise<void>, long = false): McpServer {
  const server = new McpServer({ name: 'test-tools', version: '1.0.0' });
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
      await write(said);
      return text(`noted: ${said}`);
    },
  );
  server.registerTool('fail', { description: 'Fails' }, () => text('this tool always fails', true));
  server.registerTool('hang', { description: 'Never answers' }, () => new Promise(() => {}));
  if (long) addLog(server);
  return server;
}

function addLog(server: McpServer): void {
  server.registerTool(
    'log',
    {
      description: 'Writes a log; in its middle stands a figure',
      inputSchema: { seed: z.number().int(), lines: z.number().int() },
      annotations: { readOnlyHint: true },
    },
    ({ seed, lines }) =>
      text(
        Array.from({ length: lines }, (_, n) =>
          n + 1 === lines / 2
            ? `the needle of ${seed} is ${seed === 3 ? 4711 : seed} ms`
            : `2026-11-23T11:00:${String(n % 60).padStart(2, '0')}Z worker-${(n * seed) % 7} INFO handled request ${n * seed} of tenant-${n % 13} in ${n % 97} ms without error`,
        ).join('\n'),
      ),
  );
}
