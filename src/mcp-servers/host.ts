/** An MCP server for inspecting this machine, over standard input and output: `node src/mcp-servers/host.ts`. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { errorMessage } from '../common/error-message.ts';
import { hostConfigFromEnv } from './host/config.ts';
import { createHostServer } from './host/server.ts';

// The server exits when its client disconnects, because running calls can no longer be answered.
process.stdin.once('end', () => process.exit(0));
process.stdin.once('close', () => process.exit(0));
process.stdout.once('error', () => process.exit(0));

try {
  await createHostServer(hostConfigFromEnv(process.env)).connect(new StdioServerTransport());
} catch (error) {
  process.stderr.write(`host MCP server: ${errorMessage(error)}\n`);
  process.exit(1);
}
