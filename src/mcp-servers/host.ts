/** An MCP server for inspecting this machine, over standard input and output: `node src/mcp-servers/host.ts`. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { errorMessage } from '../common/error-message.ts';
import { type HostConfig, hostConfigFromEnv } from './host/config.ts';
import { diskUsageTool } from './host/disk-usage.ts';
import { dnsLookupTool } from './host/dns-lookup.ts';
import { httpProbeTool } from './host/http-probe.ts';
import { largestDirectoriesTool } from './host/largest-directories.ts';
import { listLogsTool } from './host/list-logs.ts';
import { listeningPortsTool } from './host/listening-ports.ts';
import { memoryAndLoadTool } from './host/memory-and-load.ts';
import { openFilesTool } from './host/open-files.ts';
import { processDetailsTool } from './host/process-details.ts';
import { processesTool } from './host/processes.ts';
import { removeOldFilesTool } from './host/remove-old-files.ts';
import { searchLogTool } from './host/search-log.ts';
import { tailLogTool } from './host/tail-log.ts';
import { addTool } from './tool/tool.ts';

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

/** Creates the MCP server. The tools start no processes and limit their output. Only remove_old_files changes files. */
function createHostServer(config: HostConfig): McpServer {
  const server = new McpServer(
    { name: 'tarsy-host', version: '1.0.0' },
    {
      instructions: `Tools over the host ${config.hostname}: disks, memory, processes, ports, logs, HTTP, DNS.${config.cleanupFolder === null ? ' They only read.' : ''}`,
    },
  );
  addTool(server, diskUsageTool(config));
  addTool(server, largestDirectoriesTool(config));
  addTool(server, memoryAndLoadTool(config));
  addTool(server, processesTool(config));
  addTool(server, processDetailsTool(config));
  addTool(server, openFilesTool(config));
  addTool(server, listeningPortsTool(config));
  addTool(server, listLogsTool(config));
  addTool(server, tailLogTool(config));
  addTool(server, searchLogTool(config));
  addTool(server, httpProbeTool(config));
  addTool(server, dnsLookupTool(config));
  if (config.cleanupFolder !== null) addTool(server, removeOldFilesTool(config.cleanupFolder));
  return server;
}
