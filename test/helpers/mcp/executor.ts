import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { createToolExecutor, type ToolExecutorDeps } from '../../../src/mcp/executor.ts';
import { DEFAULT_TOOL_RULES } from '../../../src/mcp/tool-class.ts';
import type { McpServerSettings, ToolExecutor, ToolResult } from '../../../src/mcp/types.ts';
import { parseStat } from '../../../src/mcp-servers/host/proc.ts';
import { HOST_SERVER } from './shipped-servers.ts';

const HOSTILE_SERVER = fileURLToPath(new URL('./hostile-server.ts', import.meta.url));

/**
 * Settings of the server in hostile-server.ts with the given id and arguments. Allows tools that may change
 * something.
 */
export function hostileServer(
  id: string,
  args: string[] = [],
  env: Record<string, string> = {},
): McpServerSettings {
  return {
    id,
    rules: { ...DEFAULT_TOOL_RULES, allowChanges: true },
    transport: { type: 'stdio', command: process.execPath, args: [HOSTILE_SERVER, ...args], env },
  };
}

/** Settings of the host MCP server of TARSy, with the id `host`. */
export const hostServer: McpServerSettings = {
  id: 'host',
  transport: { type: 'stdio', command: process.execPath, args: [HOST_SERVER], env: {} },
};

/** Options that select all tools of the given servers, with limits for tests. */
function executorDeps(servers: McpServerSettings[], more: Partial<ToolExecutorDeps> = {}): ToolExecutorDeps {
  return {
    servers: new Map(servers.map((server) => [server.id, server])),
    selection: { servers: servers.map(({ id }) => ({ name: id, tools: null })) },
    logger: pino({ level: 'silent' }),
    limits: {
      initTimeoutMs: 10_000,
      maxResultChars: 100_000,
      maxTools: 100,
      maxToolUnits: 1_000_000,
    },
    ...more,
  };
}

export const openExecutor = (servers: McpServerSettings[], more: Partial<ToolExecutorDeps> = {}) =>
  createToolExecutor(executorDeps(servers, more));

/** Calls a tool with JSON arguments. */
export function callTool(
  executor: ToolExecutor,
  name: string,
  args: object = {},
  options: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<ToolResult> {
  const { signal = new AbortController().signal, timeoutMs = 10_000 } = options;
  return executor.execute({ id: 'call-1', name, arguments: JSON.stringify(args) }, { signal, timeoutMs });
}

/** True if a process still runs. A zombie, whose exit its parent has not collected yet, does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.state !== 'Z';
  } catch {
    return false;
  }
}
