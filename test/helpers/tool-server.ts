import { appendFile } from 'node:fs/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createTestTools } from './mcp/test-tools.ts';

/** The test tools over stdio: run it with Node. Appends a line for each call of `note` to the file TOOL_LOG; with LONG_RESULTS it has a tool of such. */
const server = createTestTools(async (said) => {
  if (process.env.TOOL_LOG) await appendFile(process.env.TOOL_LOG, `${said}\n`);
}, process.env.LONG_RESULTS !== undefined);

await server.connect(new StdioServerTransport());
