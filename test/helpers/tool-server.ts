import { appendFile } from 'node:fs/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createTestTools } from './mcp/test-tools.ts';

/**
 * The test tools over stdio, run with Node. Each call of `note` appends a line to the file TOOL_LOG. If
 * LONG_RESULTS is set, there is also a tool with long results.
 */
const server = createTestTools(async (said) => {
  if (process.env.TOOL_LOG) await appendFile(process.env.TOOL_LOG, `${said}\n`);
}, process.env.LONG_RESULTS !== undefined);

await server.connect(new StdioServerTransport());
