import { appendFile } from 'node:fs/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { PLANTED } from '../../masking/secrets.ts';

/**
 * An MCP server over stdio that shows secrets in results, failures and its log. With the argument `broken` it
 * fails to start. Passwords given to `login` are written to the file TOOL_LOG.
 */
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
server.registerTool('get_log', { description: 'Shows a long log', ...readOnly }, () =>
  text(
    Array.from({ length: 500 }, (_, n) => `line ${n} visible-log password=${PLANTED.longOutput}`).join('\n'),
  ),
);
server.registerTool('fail', { description: 'Fails', ...readOnly }, () =>
  text(`login failed for postgres://app:${PLANTED.toolError}@db/app`, true),
);
server.registerTool('crash', { description: 'Throws', ...readOnly }, () => {
  throw new Error(`{"password":"${PLANTED.protocolError}"}`);
});
server.registerTool(
  'login',
  { description: 'Logs in', inputSchema: { user: z.string(), password: z.string() } },
  async ({ user, password }) => {
    if (process.env.TOOL_LOG) await appendFile(process.env.TOOL_LOG, `${password}\n`);
    process.stderr.write(`visible-stderr password=${PLANTED.serverLog}\n`);
    return text(`${user} is in; {"password": "${password}"}`);
  },
);

await server.connect(new StdioServerTransport());
