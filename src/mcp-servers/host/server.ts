import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { HostConfig } from './config.ts';
import { diskUsageTool } from './disk-usage.ts';
import { dnsLookupTool } from './dns-lookup.ts';
import { httpProbeTool } from './http-probe.ts';
import { largestDirectoriesTool } from './largest-directories.ts';
import { listLogsTool } from './list-logs.ts';
import { listeningPortsTool } from './listening-ports.ts';
import { memoryAndLoadTool } from './memory-and-load.ts';
import { openFilesTool } from './open-files.ts';
import { processDetailsTool } from './process-details.ts';
import { processesTool } from './processes.ts';
import { removeOldFilesTool } from './remove-old-files.ts';
import { searchLogTool } from './search-log.ts';
import { tailLogTool } from './tail-log.ts';
import { addTool } from './tool.ts';

/** Creates the MCP server. No tool starts a process, all bound their output, and all but remove_old_files only read. */
export function createHostServer(config: HostConfig): McpServer {
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
