import type { Logger } from 'pino';
import { monitoredServers } from '../../config/server-selection.ts';
import type { Config } from '../../config/types.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import type { Warnings } from '../../warnings.ts';
import { settingsOf } from '../server-settings.ts';
import { type HealthMonitor, startHealthMonitor } from './monitor.ts';

/** Looks after the configuration's MCP servers that are in use, until stopped; returns at once. */
export function monitorMcpServers(deps: {
  db: Queryable;
  config: Config;
  masking: Masking;
  warnings: Warnings;
  /** Names this process among those that check. */
  holder: string;
  logger: Logger;
}): HealthMonitor {
  const { config, masking } = deps;
  const { intervalMs, timeoutMs } = config.system.mcpHealth;
  return startHealthMonitor({
    ...deps,
    servers: monitoredServers(config).map((id) => settingsOf(config.mcpServers[id]!)),
    intervalMs,
    limits: { initTimeoutMs: config.defaults.timeouts.mcpInitMs, checkTimeoutMs: timeoutMs },
    // A server whose results need no masking may still name its own credentials when it fails.
    maskResult: (id, text) =>
      masking.maskText(config.redact(masking.maskToolResult(id, text)), { groups: ['security'] }),
  });
}
