/** A read-only MCP server over this machine, on standard input and output: `node src/mcp-servers/host.ts`. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { errorMessage } from '../common/error-message.ts';
import { hostConfigFromEnv } from './host/config.ts';
import { createHostServer } from './host/server.ts';

// The client going away is the end of this server; calls still running have nobody to answer.
process.stdin.once('end', () => process.exit(0));
process.stdin.once('close', () => process.exit(0));
process.stdout.once('error', () => process.exit(0));

try {
  await createHostServer(hostConfigFromEnv(process.env)).connect(new StdioServerTransport());
} catch (error) {
  process.stderr.write(`host MCP server: ${errorMessage(error)}\n`);
  process.exit(1);
}
