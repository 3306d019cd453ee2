import { UNITS_PER_TOKEN } from '../../common/truncate.ts';
import type { Config } from '../../config/types.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import { createToolExecutor } from '../../mcp/executor.ts';
import { unavailableServersAtLastCheck } from '../../mcp/health/store.ts';
import { toServerSettings } from '../../mcp/server-settings.ts';
import type { SessionPool } from '../../mcp/session-pool.ts';
import { MODEL_RESULT_MAX_UNITS } from '../prompt-text/outputs.ts';
import type { RunDeps } from '../run-context/types.ts';

/** Tools of servers that are offered to the model at once: providers refuse more than 128, and some are our own. */
export const MAX_TOOLS = 118;

/**
 * … and UTF-16 code units of their definitions: 20k tokens at 4 a token. They go with every call of the model, and leave
 * a small one room for the conversation; the tools of four usual servers fit.
 */
export const MAX_TOOL_UNITS = 20_000 * 4;

/** What is known of a server's health is old when this many checks were missed. */
const HEALTH_INTERVALS = 2;

/** Agents that begin within so many milliseconds share one look at it. */
const HEALTH_LOOK_MS = 1_000;

/** How agents reach the configured MCP servers: for one agent's work each, with sessions that others left where those may be reused. */
export function createToolConnector({
  config,
  masking,
  db,
  sessionPool,
}: {
  config: Config;
  masking: Masking;
  db: Queryable;
  sessionPool: SessionPool;
}): RunDeps['connectTools'] {
  const servers = new Map(
    Object.values(config.mcpServers).map((server) => [server.id, toServerSettings(server)]),
  );
  const traceUnits = config.defaults.toolResults.traceMaxTokens * UNITS_PER_TOKEN;
  const limits = {
    initTimeoutMs: config.defaults.timeouts.mcpInitMs,
    maxResultChars: Math.max(MODEL_RESULT_MAX_UNITS, traceUnits),
    maxTools: MAX_TOOLS,
    maxToolUnits: MAX_TOOL_UNITS,
  };
  const maskResult = masking.maskToolResult;
  const maxAgeMs = HEALTH_INTERVALS * config.system.mcpHealth.intervalMs + config.system.mcpHealth.timeoutMs;
  let looked: { at: number; dead: ReturnType<typeof unavailableServersAtLastCheck> } | null = null;
  return (selection, signal, logger) => {
    const knownUnavailable = () => {
      if (looked === null || performance.now() - looked.at > HEALTH_LOOK_MS)
        looked = { at: performance.now(), dead: unavailableServersAtLastCheck(db, maxAgeMs) };
      return looked.dead.catch((error: unknown) => {
        logger.warn({ err: error }, 'the health of MCP servers is not known');
        return new Map<string, string>();
      });
    };
    return createToolExecutor({
      servers,
      selection,
      signal,
      logger,
      limits,
      maskResult,
      knownUnavailable,
      sessionPool,
    });
  };
}
