import type { Config, McpServerConfig } from '../../config/types.ts';
import type { Masking } from '../masking/masking.ts';
import { createToolExecutor } from '../mcp/executor.ts';
import type { McpServerSettings } from '../mcp/types.ts';
import { MAX_TOOLS, MODEL_RESULT_MAX_UNITS } from '../tunables.ts';
import type { RunDeps } from './run.ts';

/** How agents reach the configured MCP servers; each call connects anew, for one agent's work. */
export function connectToolsFor(config: Config, masking: Masking): RunDeps['connectTools'] {
  const servers = new Map(Object.values(config.mcpServers).map((server) => [server.id, settingsOf(server)]));
  const { mcpInitMs, mcpOperationMs } = config.defaults.timeouts;
  const limits = {
    initTimeoutMs: mcpInitMs,
    operationTimeoutMs: mcpOperationMs,
    maxResultChars: MODEL_RESULT_MAX_UNITS,
    maxTools: MAX_TOOLS,
  };
  const maskResult = masking.maskToolResult;
  return (selection, signal, logger) =>
    createToolExecutor({ servers, selection, signal, logger, limits, maskResult });
}

function settingsOf({ id, transport }: McpServerConfig): McpServerSettings {
  if (transport.type === 'stdio') {
    const { command, args, env } = transport;
    return { id, transport: { type: 'stdio', command, args: [...args], env: { ...env } } };
  }
  const { type, url, bearerToken, verifySsl, timeoutMs, customHeaders } = transport;
  return {
    id,
    transport: {
      type,
      url,
      verifySsl,
      headers: { ...customHeaders },
      ...(bearerToken === null ? {} : { bearerToken }),
      ...(timeoutMs === null ? {} : { timeoutMs }),
    },
  };
}
