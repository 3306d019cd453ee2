import type { Logger } from 'pino';
import { storable } from '../../common/storable.ts';
import { truncate } from '../../common/truncate.ts';
import type { McpToolValue } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { WARNING_CATEGORIES, type Warnings } from '../../warnings.ts';
import { hideCredentials } from '../credentials.ts';
import { STANDARD_RULES } from '../tool-class.ts';
import type { McpServerSettings } from '../types.ts';
import { createProbe, type Probe, type ProbeLimits, type ProbeResult } from './probe.ts';
import { claimServers, forgetOtherServers, releaseServers, storeHealth } from './store.ts';
import { shownTools } from './tool-report.ts';
import { toolWarning } from './tool-warning.ts';

export interface HealthMonitor {
  /** Checks no more, and ends every session; no process is left. */
  stop(): Promise<void>;
}

export interface HealthMonitorDeps {
  db: Queryable;
  warnings: Warnings;
  servers: readonly McpServerSettings[];
  /** Names this process among those that check; one of them looks after a server at a time. */
  holder: string;
  /** Milliseconds from check to check. */
  intervalMs: number;
  limits: ProbeLimits;
  /** Takes secrets out of what a server said. */
  maskResult: (serverId: string, text: string) => string;
  logger: Logger;
}

/** A process that missed this many claims in a row is taken for gone. */
const LEASE_INTERVALS = 3;
/** Characters of the reason why a server cannot be used. */
const MAX_REASON = 500;

/**
 * Checks MCP servers side by side, the first time at once, until stopped. What it finds goes to the database; a server
 * that cannot be used raises a warning, which goes when it can be used again. Starting waits for nothing.
 */
export function startHealthMonitor(deps: HealthMonitorDeps): HealthMonitor {
  const { db, holder, intervalMs, logger } = deps;
  const ids = deps.servers.map(({ id }) => id);
  const lifetime = new AbortController();
  const watches = deps.servers.map((settings) => createWatch(deps, settings, lifetime.signal));
  let round: Promise<void> | null = null;

  const look = async () => {
    const mine = await claimServers(db, ids, holder, LEASE_INTERVALS * intervalMs);
    for (const watch of watches) {
      if (mine.has(watch.id)) watch.check();
      else watch.leave();
    }
  };
  const begin = () => {
    round ??= look()
      .catch((error: unknown) => logger.warn({ err: error }, 'MCP servers could not be checked'))
      .finally(() => {
        round = null;
      });
  };

  forgetOtherServers(db, ids).catch((error: unknown) =>
    logger.warn({ err: error }, 'old MCP servers could not be forgotten'),
  );
  begin();
  const timer = setInterval(begin, intervalMs);
  return {
    async stop() {
      clearInterval(timer);
      lifetime.abort(new Error('the health monitor stops'));
      await round;
      await Promise.all(watches.map((watch) => watch.stop()));
      await releaseServers(db, holder).catch((error: unknown) =>
        logger.warn({ err: error }, 'MCP servers could not be released'),
      );
    },
  };
}

/** One server, looked after by this process or not. */
interface Watch {
  id: string;
  /** Begins a check, unless one is under way. */
  check(): void;
  /** Another process looks after the server: keeps no session to it. */
  leave(): void;
  stop(): Promise<void>;
}

function createWatch(deps: HealthMonitorDeps, settings: McpServerSettings, lifetime: AbortSignal): Watch {
  const { id } = settings;
  const logger = deps.logger.child({ mcpServer: id });
  const probe: Probe = createProbe(settings, deps.limits, logger, lifetime);
  const recorder = createRecorder(deps, settings, logger);
  let work: Promise<void> = Promise.resolve();
  let busy = false;

  const begin = (task: () => Promise<void>) => {
    if (busy || lifetime.aborted) return;
    busy = true;
    work = task()
      .catch((error: unknown) => logger.warn({ err: error }, 'an MCP server’s health could not be stored'))
      .finally(() => {
        busy = false;
      });
  };
  return {
    id,
    check: () =>
      begin(async () => {
        const result = await probe.check();
        if (!lifetime.aborted) await recorder.record(result);
      }),
    leave: () =>
      begin(async () => {
        recorder.forget();
        await probe.close();
      }),
    async stop() {
      await work;
      await probe.close();
    },
  };
}

/** Writes down what checks of a server find. */
function createRecorder(deps: HealthMonitorDeps, settings: McpServerSettings, logger: Logger) {
  const { db, holder, warnings } = deps;
  const { id, rules = STANDARD_RULES } = settings;
  const mask = (text: string) => maskText(deps, settings, text);
  let known: string | null = null; // the tools as they are in the database, as JSON
  let wasHealthy: boolean | null = null;

  const record = async (result: ProbeResult): Promise<void> => {
    const tools = result.healthy ? shownTools(id, result.listed, rules, mask) : null;
    const json = tools && JSON.stringify(tools);
    const error = result.healthy ? null : truncate(mask(storable(result.reason)), MAX_REASON);
    const report = { healthy: result.healthy, error, tools: json === known ? null : tools };
    if (!(await storeHealth(db, id, holder, report))) {
      known = null;
      return;
    }
    if (tools !== null && json !== known) await tellOfTools(tools, result);
    known = json ?? known;
    if (result.healthy) await warnings.clear(WARNING_CATEGORIES.mcpHealth, id);
    else {
      const message = `MCP server "${id}" cannot be used. Investigations go on without its tools.`;
      await warnings.raise({
        category: WARNING_CATEGORIES.mcpHealth,
        message,
        details: error,
        serverId: id,
      });
    }
    if (wasHealthy !== result.healthy) logChange(logger, error);
    wasHealthy = result.healthy;
  };
  /** Once, and whenever the tools have changed. */
  const tellOfTools = async (tools: readonly McpToolValue[], result: ProbeResult): Promise<void> => {
    const withheld = tools.filter(({ offered }) => !offered).map(({ name }) => name);
    if (withheld.length > 0)
      logger.info({ withheld }, 'MCP tools that may change something are withheld from agents');
    const warning = result.healthy ? toolWarning(id, result.listed, rules) : null;
    if (warning === null) return warnings.clear(WARNING_CATEGORIES.mcpTools, id);
    logger.warn({ details: warning.details }, warning.message);
    await warnings.raise(warning);
  };
  return {
    record,
    /** Another process writes from now on: what is in the database is not known any more. */
    forget() {
      known = null;
    },
  };
}

function logChange(logger: Logger, error: string | null): void {
  if (error === null) logger.info('MCP server can be used');
  else logger.warn({ reason: error }, 'MCP server cannot be used');
}

function maskText(deps: HealthMonitorDeps, { id, transport }: McpServerSettings, text: string): string {
  try {
    return deps.maskResult(id, hideCredentials(transport, text));
  } catch {
    return '[withheld: masking it failed]';
  }
}
