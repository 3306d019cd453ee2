import type { Logger } from 'pino';
import { toStorable } from '../../common/storable.ts';
import { truncate } from '../../common/truncate.ts';
import { monitoredServers } from '../../config/server-selection.ts';
import type { Config } from '../../config/types.ts';
import type { McpToolValue } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import { WARNING_CATEGORIES, type Warnings } from '../../warnings.ts';
import { maskCredentials } from '../credentials.ts';
import { toServerSettings } from '../server-settings.ts';
import { DEFAULT_TOOL_RULES } from '../tool-class.ts';
import type { McpServerSettings } from '../types.ts';
import { createProbe, type ProbeLimits, type ProbeResult } from './probe.ts';
import { claimServers, deleteOtherServers, releaseServers, storeHealth } from './store.ts';
import { offerableTools, toolWarning } from './tool-report.ts';

export interface HealthMonitor {
  /** Stops checking, ends every session and its process, and releases the leases. */
  stop(): Promise<void>;
}

export interface HealthMonitorDeps {
  db: Queryable;
  warnings: Warnings;
  servers: readonly McpServerSettings[];
  /** Id of this process in leases. Only the process with a server's lease checks that server. */
  holder: string;
  intervalMs: number;
  limits: ProbeLimits;
  maskResult: (serverId: string, text: string) => string;
  logger: Logger;
}

/** Duration of a lease, in check intervals. After that another process claims the server. */
const LEASE_INTERVALS = 3;
const MAX_REASON = 500;

/** Monitors the configured MCP servers that are in use, until stopped. Returns at once. */
export function monitorMcpServers(
  deps: Pick<HealthMonitorDeps, 'db' | 'warnings' | 'holder' | 'logger'> & {
    config: Config;
    masking: Masking;
  },
): HealthMonitor {
  const { config, masking } = deps;
  const { intervalMs, timeoutMs } = config.system.mcpHealth;
  return startHealthMonitor({
    ...deps,
    servers: monitoredServers(config).map((id) => toServerSettings(config.mcpServers[id]!)),
    intervalMs,
    limits: { initTimeoutMs: config.defaults.timeouts.mcpInitMs, checkTimeoutMs: timeoutMs },
    // Always masks security data, because a server whose results need no masking may quote credentials in an error.
    maskResult: (id, text) =>
      masking.maskText(config.redact(masking.maskToolResult(id, text)), { groups: ['security'] }),
  });
}

/**
 * Checks MCP servers at once and then periodically, until stopped. Stores the results; an unusable server raises a
 * warning. Returns at once.
 */
export function startHealthMonitor(deps: HealthMonitorDeps): HealthMonitor {
  const { db, holder, intervalMs, logger } = deps;
  const ids = deps.servers.map(({ id }) => id);
  const lifetime = new AbortController();
  const watches = deps.servers.map((settings) => createWatch(deps, settings, lifetime.signal));
  let round: Promise<void> | null = null;

  const claimAndCheck = async () => {
    const claimed = await claimServers(db, ids, holder, LEASE_INTERVALS * intervalMs);
    for (const watch of watches) {
      if (claimed.has(watch.id)) watch.check();
      else watch.leave();
    }
  };
  const startRound = () => {
    round ??= claimAndCheck()
      .catch((error: unknown) => logger.warn({ err: error }, 'MCP servers not checked'))
      .finally(() => {
        round = null;
      });
  };

  deleteOtherServers(db, ids).catch((error: unknown) =>
    logger.warn({ err: error }, 'old MCP servers not deleted'),
  );
  startRound();
  const timer = setInterval(startRound, intervalMs);
  return {
    async stop() {
      clearInterval(timer);
      lifetime.abort(new Error('the health monitor stops'));
      await round;
      await Promise.all(watches.map((watch) => watch.stop()));
      await releaseServers(db, holder).catch((error: unknown) =>
        logger.warn({ err: error }, 'MCP servers not released'),
      );
    },
  };
}

/** Creates the watch of one server: `check` if this process has claimed the server, `leave` if another has. */
function createWatch(deps: HealthMonitorDeps, settings: McpServerSettings, lifetime: AbortSignal) {
  const { id } = settings;
  const logger = deps.logger.child({ mcpServer: id });
  const probe = createProbe(settings, deps.limits, logger, lifetime);
  const recorder = createRecorder(deps, settings, logger);
  let work: Promise<void> = Promise.resolve();
  let busy = false;

  const startUnlessBusy = (task: () => Promise<void>) => {
    if (busy || lifetime.aborted) return;
    busy = true;
    work = task()
      .catch((error: unknown) => logger.warn({ err: error }, 'MCP server health not stored'))
      .finally(() => {
        busy = false;
      });
  };
  return {
    id,
    /** Starts a check unless one is running. */
    check: () =>
      startUnlessBusy(async () => {
        const result = await probe.check();
        if (!lifetime.aborted) await recorder.record(result);
      }),
    /** Closes the session, because another process has claimed the server. */
    leave: () =>
      startUnlessBusy(async () => {
        recorder.forget();
        await probe.close();
      }),
    async stop(): Promise<void> {
      await work;
      await probe.close();
    },
  };
}

/** Stores the check results of a server and raises or clears its warnings. */
function createRecorder(deps: HealthMonitorDeps, settings: McpServerSettings, logger: Logger) {
  const { db, holder, warnings } = deps;
  const { id, rules = DEFAULT_TOOL_RULES } = settings;
  const mask = (text: string) => {
    try {
      return deps.maskResult(id, maskCredentials(settings.transport, text));
    } catch {
      return '[withheld: masking it failed]';
    }
  };
  let storedTools: string | null = null; // as JSON; null if unknown
  let wasHealthy: boolean | null = null;

  const record = async (result: ProbeResult): Promise<void> => {
    const tools = result.healthy ? offerableTools(id, result.listed, rules, mask) : null;
    const json = tools && JSON.stringify(tools);
    const error = result.healthy ? null : truncate(mask(toStorable(result.reason)), MAX_REASON);
    const report = { healthy: result.healthy, error, tools: json === storedTools ? null : tools };
    if (!(await storeHealth(db, id, holder, report))) {
      storedTools = null;
      return;
    }
    if (tools !== null && json !== storedTools) await reportTools(tools, result);
    storedTools = json ?? storedTools;
    if (result.healthy) await warnings.clear(WARNING_CATEGORIES.mcpHealth, id);
    else {
      const message = `MCP server "${id}" is unavailable. Investigations continue without its tools.`;
      const category = WARNING_CATEGORIES.mcpHealth;
      await warnings.raise({ category, message, details: error, serverId: id });
    }
    if (wasHealthy !== result.healthy) {
      if (error === null) logger.info('MCP server can be used');
      else logger.warn({ reason: error }, 'MCP server cannot be used');
    }
    wasHealthy = result.healthy;
  };
  const reportTools = async (tools: readonly McpToolValue[], result: ProbeResult): Promise<void> => {
    const withheld = tools.filter(({ offered }) => !offered).map(({ name }) => name);
    if (withheld.length > 0) logger.info({ withheld }, 'changing MCP tools withheld from agents');
    const warning = result.healthy ? toolWarning(id, result.listed, rules) : null;
    if (warning === null) return warnings.clear(WARNING_CATEGORIES.mcpTools, id);
    logger.warn({ details: warning.details }, warning.message);
    await warnings.raise(warning);
  };
  return {
    record,
    /** Forgets which tools are stored, because another process may change them. */
    forget() {
      storedTools = null;
    },
  };
}
