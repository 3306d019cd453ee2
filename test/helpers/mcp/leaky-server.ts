import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { PLANTED } from '../../masking/secrets.ts';

/** An MCP server over stdio for tests that shows secrets in results and in failures; `broken` does not even start. */
if (process.argv.includes('broken')) throw new Error(`cannot log in: password=${PLANTED.startError}`);

const server = new McpServer({ name: 'leaky', version: '1.0.0' });
const readOnly = { annotations: { readOnlyHint: true } };
const text = (content: string, isError = false) => ({
  content: [{ type: 'text' as const, text: content }],
  isError,
});

server.registerTool('get_secret', { description: 'Shows a Secret', ...readOnly }, () =>
  text(
    `Found:\n\napiVersion: v1\ndata:\n  any: ${PLANTED.data}\nkind: Secret\nmetadata:\n  name: visible-name\n---\nDB_PASSWORD=${PLANTED.output}\n`,
  ),
);
server.registerTool('fail', { description: 'Fails', ...readOnly }, () =>
  text(`login failed for postgres://app:${PLANTED.toolError}@db/app`, true),
);
server.registerTool('crash', { description: 'Throws', ...readOnly }, () => {
  throw new Error(`{"password":"${PLANTED.protocolError}"}`);
});

await server.connect(new StdioServerTransport());
