import type { Config } from '../../config/types.ts';
import type { Masking } from '../masking/masking.ts';
import { createToolExecutor } from '../mcp/executor.ts';
import { settingsOf } from '../mcp/settings.ts';
import { UNITS_PER_TOKEN } from '../truncate.ts';
import { MAX_TOOLS, MODEL_RESULT_MAX_UNITS } from '../tunables.ts';
import type { RunDeps } from './run.ts';

/** How agents reach the configured MCP servers; each call connects anew, for one agent's work. */
export function connectToolsFor(config: Config, masking: Masking): RunDeps['connectTools'] {
  const servers = new Map(Object.values(config.mcpServers).map((server) => [server.id, settingsOf(server)]));
  const { mcpInitMs, mcpOperationMs } = config.defaults.timeouts;
  const traceUnits = config.defaults.toolResults.traceMaxTokens * UNITS_PER_TOKEN;
  const limits = {
    initTimeoutMs: mcpInitMs,
    operationTimeoutMs: mcpOperationMs,
    maxResultChars: Math.max(MODEL_RESULT_MAX_UNITS, traceUnits),
    maxTools: MAX_TOOLS,
  };
  const maskResult = masking.maskToolResult;
  return (selection, signal, logger) =>
    createToolExecutor({ servers, selection, signal, logger, limits, maskResult });
}
