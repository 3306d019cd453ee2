import { UNITS_PER_TOKEN } from '../../common/truncate.ts';
import { createToolExecutor } from '../../mcp/executor.ts';
import { unavailableServersAtLastCheck } from '../../mcp/health/store.ts';
import { toServerSettings } from '../../mcp/server-settings.ts';
import type { SessionPool } from '../../mcp/session-pool.ts';
import type { ToolExecutor } from '../../mcp/types.ts';
import { MODEL_RESULT_MAX_UNITS } from '../prompt-text/tool-results.ts';
import type { Transcript } from '../run-context/transcript.ts';
import type { RunDeps } from '../run-context/types.ts';

/** Maximum number of MCP tools offered at once. Providers refuse more than 128, and the engine adds its own. */
const MAX_TOOLS = 118;
/** Maximum length of all offered definitions (UTF-16 code units): 20k tokens, because every model call repeats them. */
const MAX_TOOL_UNITS = 20_000 * 4;
/** Number of missed health checks after which a server's stored health is ignored. */
const MAX_MISSED_CHECKS = 2;
/** Time (ms) for which all agents of this process share one read of the stored health. */
const HEALTH_CACHE_MS = 1_000;

/** Returns a function that connects an agent to its MCP servers. All agents share the pool's MCP sessions. */
export function createToolConnector({
  config,
  masking,
  db,
  sessionPool,
}: Pick<RunDeps, 'config' | 'masking' | 'db'> & { sessionPool: SessionPool }): RunDeps['connectTools'] {
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
  const maxAgeMs = MAX_MISSED_CHECKS * config.system.mcpHealth.intervalMs + config.system.mcpHealth.timeoutMs;
  let lastRead: { at: number; unavailable: ReturnType<typeof unavailableServersAtLastCheck> } | null = null;
  return (selection, signal, logger) => {
    const knownUnavailable = () => {
      if (lastRead === null || performance.now() - lastRead.at > HEALTH_CACHE_MS)
        lastRead = { at: performance.now(), unavailable: unavailableServersAtLastCheck(db, maxAgeMs) };
      return lastRead.unavailable.catch((error: unknown) => {
        logger.warn({ err: error }, 'stored health of MCP servers not read');
        return new Map<string, string>();
      });
    };
    const shared = { servers, limits, maskResult: masking.maskToolResult, knownUnavailable, sessionPool };
    return createToolExecutor({ ...shared, selection, signal, logger });
  };
}

/** Makes an executor store the transcript before each call, so that a worker that resumes knows all calls made. */
export function storingTools(tools: ToolExecutor, transcript: Pick<Transcript, 'store'>): ToolExecutor {
  return {
    ...tools,
    async listTools(signal) {
      await transcript.store();
      return tools.listTools(signal);
    },
    async execute(...call) {
      await transcript.store();
      return tools.execute(...call);
    },
  };
}
